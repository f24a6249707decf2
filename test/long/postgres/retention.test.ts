import { describeRemovedDestinations } from '../../store/contract/destination-contract.ts'
import { runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeReclaiming } from '../../store/contract/reclaim-contract.ts'
import { describeRedaction } from '../../store/contract/redaction-contract.ts'
import { describeRetention } from '../../store/contract/retention-contract.ts'
import { describeTokenRetention } from '../../store/contract/token-retention-contract.ts'

runOnPostgres([
  describeRetention,
  describeRedaction,
  describeTokenRetention,
  describeRemovedDestinations,
  describeReclaiming,
])
