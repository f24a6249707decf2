import { writeBackup } from '../../store/sqlite/maintenance/backup.ts'
import { serveParent } from './own-process.ts'

const [, , file = '', target = '', leaveBytes = ''] = process.argv
serveParent((show) => writeBackup({ file, target, leaveBytes: Number(leaveBytes) }, show))
