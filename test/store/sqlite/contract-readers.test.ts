import { describeActions } from '../contract/action-contract.ts'
import { describeConsumers } from '../contract/consumer-contract.ts'
import { describeEventsByDelivery } from '../contract/event-delivery-contract.ts'
import { describeHashes } from '../contract/hash-contract.ts'
import { runOnSqlite } from '../contract/on-sqlite.ts'
import { describeQuarantine } from '../contract/quarantine-contract.ts'
import { describeReclaiming } from '../contract/reclaim-contract.ts'
import { describeRedaction } from '../contract/redaction-contract.ts'
import { describeRefusals } from '../contract/refusal-contract.ts'
import { describeRetention } from '../contract/retention-contract.ts'
import { describeSubjects } from '../contract/subject-contract.ts'

runOnSqlite([
  describeActions,
  describeConsumers,
  describeQuarantine,
  describeRefusals,
  describeReclaiming,
  describeRetention,
  describeRedaction,
  describeHashes,
  describeEventsByDelivery,
  describeSubjects,
])
