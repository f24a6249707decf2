import { describeActions } from '../../store/contract/action-contract.ts'
import { describeClients } from '../../store/contract/client-contract.ts'
import { describeConsumers } from '../../store/contract/consumer-contract.ts'
import { describeExpiry } from '../../store/contract/expiry-contract.ts'
import { describeHashes } from '../../store/contract/hash-contract.ts'
import { runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeQuarantine } from '../../store/contract/quarantine-contract.ts'
import { describeReading } from '../../store/contract/reading-contract.ts'
import { describeRefusals } from '../../store/contract/refusal-contract.ts'
import { describeTokens } from '../../store/contract/token-contract.ts'

runOnPostgres([
  describeReading,
  describeHashes,
  describeQuarantine,
  describeTokens,
  describeExpiry,
  describeConsumers,
  describeClients,
  describeActions,
  describeRefusals,
])
