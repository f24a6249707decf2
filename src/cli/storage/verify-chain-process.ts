import { verifyAuditChain, type WrittenPoint } from '../../store/sqlite/audit/verify-audit-chain.ts'
import { serveParent } from './own-process.ts'

const [, , file = '', expected = '[]'] = process.argv
serveParent((show) => verifyAuditChain(file, JSON.parse(expected) as WrittenPoint[], show))
