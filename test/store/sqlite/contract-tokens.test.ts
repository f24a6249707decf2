import { runOnSqlite } from '../contract/on-sqlite.ts'
import { describeTokens } from '../contract/token-contract.ts'

runOnSqlite([describeTokens])
