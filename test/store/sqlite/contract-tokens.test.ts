import { describeChargeRoutes } from '../contract/charge-route-contract.ts'
import { runOnSqlite } from '../contract/on-sqlite.ts'
import { describeReconciliation } from '../contract/reconcile-contract.ts'
import { describeTokens } from '../contract/token-contract.ts'
import { describeTokenRetention } from '../contract/token-retention-contract.ts'

runOnSqlite([describeTokens, describeTokenRetention, describeChargeRoutes, describeReconciliation])
