import { verifyDatabase } from '../../store/sqlite/maintenance/verify.ts'
import { serveParent } from './own-process.ts'

const [, , file = ''] = process.argv
serveParent((show) => verifyDatabase(file, show))
