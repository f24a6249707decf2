import { runOnSqlite } from '../contract/on-sqlite.ts'
import { describeStore } from '../contract/store-contract.ts'

runOnSqlite([describeStore])
