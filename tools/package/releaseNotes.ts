/** `tsx tools/package/releaseNotes.ts v0.1.0` prints the changelog's section of a version, for the release on GitHub. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../host';
import { print } from '../terminal';
import { sectionOf } from './changelog';

const [, , tag = ''] = process.argv;
print(sectionOf(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8'), tag.replace(/^v/, '')));
