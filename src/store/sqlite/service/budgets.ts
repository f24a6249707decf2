import type { BudgetRequest } from '../../../domain/service/notification-token.ts'
import type { Connection } from '../database/connection.ts'
import { budgetUsed } from './token-queries.ts'

/** Takes queries from the budget of a UTC day, and forgets the days before it. Inside the transaction. */
export function createBudgets(db: Connection): { take(request: BudgetRequest): number } {
  const forget = db.prepare('delete from service_budgets where environment = :environment and day < :day')
  const add = db.prepare(`
    insert into service_budgets (environment, day, used) values (:environment, :day, :granted)
    on conflict (environment, day) do update set used = used + :granted`)
  return {
    take({ environment, day, wanted, limit }) {
      const granted = Math.max(0, Math.min(wanted, limit - budgetUsed(db, environment, day)))
      forget.run({ environment, day })
      if (granted > 0) add.run({ environment, day, granted })
      return granted
    },
  }
}
