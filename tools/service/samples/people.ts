/** Fictional people and companies. The domains are reserved for examples, so no sample can reach a real person. */
export const LEADS = [
	{ first: 'Amélie', last: 'Laurent', email: 'amelie.laurent@northwind.example' },
	{ first: 'Jonas', last: 'Weber', email: 'jonas.weber@contour.example' },
	{ first: 'Priya', last: 'Raman', email: 'priya.raman@lumenworks.example' },
	{ first: 'Tomás', last: 'Herrera', email: 'tomas@herrera-y-asociados.example' },
	{ first: 'Grace', last: 'Okafor', email: 'g.okafor@bluelagoon.example' },
	{ first: 'Mei', last: 'Tanaka', email: 'mei.tanaka@hoshi-labs.example' },
	{ first: 'Seán', last: "O'Brien", email: 'sean.obrien@kestrel.example' },
	{ first: 'Nadia', last: 'Haddad', email: 'nadia.haddad@cedarline.example' },
] as const;

export const COLLEAGUES = [
	{ name: 'Paul Girard', address: 'paul.girard@northwind.example' },
	{ name: 'Ingrid Sørensen', address: 'ingrid@fjordtech.example' },
	{ name: '', address: 'procurement@contour.example' },
] as const;

export const SENDERS = [
	{ id: 'usr_Jd82LsQw0PzXn4VbT', name: 'Nora Bell', email: 'nora@acme-outreach.example' },
	{ id: 'usr_T5hYg6UjM1kOl9PaS', name: 'Victor Lind', email: 'victor@acme-outreach.example' },
] as const;

export const CAMPAIGNS = [
	{
		id: 'cam_B2nM8qWe4RtY6uIoP',
		sequence: 'seq_Zx9Cv7Bn5Mq3We1Rt',
		name: 'Q3 heads of engineering',
		subject: 'Quick question about your release process',
	},
	{
		id: 'cam_A1sD3fGh5JkL7zXcV',
		sequence: 'seq_Po8Iu6Yt4Re2Wq0As',
		name: 'Trade fair follow-up',
		subject: 'Good to meet you at the fair',
	},
] as const;
