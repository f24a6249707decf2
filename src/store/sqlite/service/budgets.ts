import type { BudgetRequest } from '../../../domain/service/notification-token.ts'
import type { Connection } from '../database/connection.ts'
import { budgetUsed } from './token-queries.ts'

/** Takes questions from the budget of a UTC day, and forgets the days before it. Inside the transaction. */
export function createBudgets(db: Connection): { take(request: BudgetRequest): number } {
  const forget = db.prepare(
    'delete from question_budgets where environment = :environment and purpose = :purpose and day < :day',
  )
  const add = db.prepare(`
    insert into question_budgets (environment, purpose, day, used) values (:environment, :purpose, :day, :granted)
    on conflict (environment, purpose, day) do update set used = used + :granted`)
  return {
    take({ environment, purpose, day, wanted, limit }) {
      const granted = Math.max(0, Math.min(wanted, limit - budgetUsed(db, environment, purpose, day)))
      forget.run({ environment, purpose, day })
      if (granted > 0) add.run({ environment, purpose, day, granted })
      return granted
    },
  }
}
