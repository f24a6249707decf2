import { readStats } from '../../store/sqlite/maintenance/stats.ts'
import { serveParent } from './own-process.ts'

const [, , file = '', recentSince = ''] = process.argv
serveParent((show) => readStats(file, Number(recentSince), show))
