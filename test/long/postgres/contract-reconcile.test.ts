import { runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeReconciliation } from '../../store/contract/reconcile-contract.ts'

runOnPostgres([describeReconciliation])
