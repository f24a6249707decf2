import { verifyChain, type WrittenPoint } from '../../store/sqlite/audit/verify-chain.ts'
import { serveParent } from './own-process.ts'

const [, , file = '', expected = '[]'] = process.argv
serveParent((show) => verifyChain(file, JSON.parse(expected) as WrittenPoint[], show))
