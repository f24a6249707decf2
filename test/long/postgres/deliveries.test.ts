import { describeAlarms } from '../../store/contract/alarm-contract.ts'
import { describeChargeRoutes } from '../../store/contract/charge-route-contract.ts'
import { describeDestinations } from '../../store/contract/destination-contract.ts'
import { describeEventsByDelivery } from '../../store/contract/event-delivery-contract.ts'
import { describeMonitoring } from '../../store/contract/monitoring-contract.ts'
import { runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeReplays } from '../../store/contract/replay-contract.ts'
import { describeStore } from '../../store/contract/store-contract.ts'
import { describeSubjects } from '../../store/contract/subject-contract.ts'

runOnPostgres([
  describeStore,
  describeDestinations,
  describeReplays,
  describeChargeRoutes,
  describeMonitoring,
  describeEventsByDelivery,
  describeSubjects,
  describeAlarms,
])
