import { translationsOf } from '../../../src/messages/say.ts'
import { missingTexts } from './missing-texts.ts'

/** `npm run texts`: each text that src/messages/pt.po lacks, with its place. A package is not made without them: `npm run package` begins with this. */
const missing = await missingTexts(translationsOf('pt'))
for (const line of missing) console.log(line)
if (missing.length > 0) {
  console.error(`${missing.length} texts have no Portuguese: add them to src/messages/pt.po`)
  process.exitCode = 1
}
