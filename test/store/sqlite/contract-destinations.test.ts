import { describeAlarms } from '../contract/alarm-contract.ts'
import { describeClients } from '../contract/client-contract.ts'
import { describeDestinations, describeRemovedDestinations } from '../contract/destination-contract.ts'
import { describeExpiry } from '../contract/expiry-contract.ts'
import { describeMonitoring } from '../contract/monitoring-contract.ts'
import { runOnSqlite } from '../contract/on-sqlite.ts'
import { describeReplays } from '../contract/replay-contract.ts'

runOnSqlite([
  describeDestinations,
  describeRemovedDestinations,
  describeReplays,
  describeClients,
  describeMonitoring,
  describeAlarms,
  describeExpiry,
])
