/** Bodies of errors that services were seen to send. */
export const errorBodies = [
	{
		type: 'https://api.example.com/problems/limit',
		title: 'Limit reached',
		status: 400,
		detail:
			'The maximum number of webhooks (16) for this team has been reached. Delete one that you no longer need, or ask your administrator for a larger plan, before you create another webhook for this target URL.',
		instance: '/hooks',
		requestId: 'req_9f31',
	},
];
