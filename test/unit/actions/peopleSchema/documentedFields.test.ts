/** The documented fields of the People record are those of the API document. */
import { DOCUMENTED_PEOPLE_FIELDS } from '../../../../nodes/OutreachService/actions/peopleSchema/documentedFields';
import { read as readDocument } from '../../texts/everyDocument';

it('Each documented field is in §2.2 of docs/api.md, and no other', () => {
	const [, section = ''] =
		/### 2\.2 People record([^]*?)### 2\.3/.exec(readDocument('docs/api.md')) ?? [];
	const listed = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
	// The last part of a path such as `education[].school_url` is the name of the field.
	const known = DOCUMENTED_PEOPLE_FIELDS.map(({ path }) => path.split('.').at(-1));
	expect(listed.sort()).toEqual(known.sort());
});
