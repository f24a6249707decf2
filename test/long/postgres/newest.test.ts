import { describeActions } from '../../store/contract/action-contract.ts'
import { describeAlarms } from '../../store/contract/alarm-contract.ts'
import { describeChargeRoutes } from '../../store/contract/charge-route-contract.ts'
import { describeClients } from '../../store/contract/client-contract.ts'
import { describeConsumers } from '../../store/contract/consumer-contract.ts'
import { describeDestinations, describeRemovedDestinations } from '../../store/contract/destination-contract.ts'
import { describeExpiry } from '../../store/contract/expiry-contract.ts'
import { describeHashes } from '../../store/contract/hash-contract.ts'
import { describeMonitoring } from '../../store/contract/monitoring-contract.ts'
import { runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeQuarantine } from '../../store/contract/quarantine-contract.ts'
import { describeReading } from '../../store/contract/reading-contract.ts'
import { describeReclaiming } from '../../store/contract/reclaim-contract.ts'
import { describeRedaction } from '../../store/contract/redaction-contract.ts'
import { describeRefusals } from '../../store/contract/refusal-contract.ts'
import { describeReplays } from '../../store/contract/replay-contract.ts'
import { describeRetention } from '../../store/contract/retention-contract.ts'
import { describeSearch } from '../../store/contract/search-contract.ts'
import { describeSearchModel } from '../../store/contract/search-model-contract.ts'
import { describeStore } from '../../store/contract/store-contract.ts'
import { describeTokens } from '../../store/contract/token-contract.ts'
import { describeTokenRetention } from '../../store/contract/token-retention-contract.ts'
import { newestPrograms } from '../../support/postgres.ts'

runOnPostgres(
  [
    describeActions,
    describeChargeRoutes,
    describeClients,
    describeConsumers,
    describeDestinations,
    describeExpiry,
    describeHashes,
    describeMonitoring,
    describeAlarms,
    describeQuarantine,
    describeReading,
    describeReclaiming,
    describeRedaction,
    describeRefusals,
    describeRemovedDestinations,
    describeReplays,
    describeRetention,
    describeSearch,
    describeSearchModel,
    describeStore,
    describeTokenRetention,
    describeTokens,
  ],
  newestPrograms(),
)
