import { runOnSqlite } from '../contract/on-sqlite.ts'
import { describeReading } from '../contract/reading-contract.ts'
import { describeStore } from '../contract/store-contract.ts'

runOnSqlite([describeStore, describeReading])
