import { runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeSearch } from '../../store/contract/search-contract.ts'
import { describeSearchModel } from '../../store/contract/search-model-contract.ts'

runOnPostgres([describeSearch, describeSearchModel])
