/*
 * A delivery that succeeded at its first attempt has no row in `attempts`: `first_started_at` and `first_answer` are in its own row, beside `last_status`
 * and `delivered_at`. The claim of a second attempt moves them to `attempts`. So either all attempts of a delivery are rows, or it has only this one.
 */

/** The attempt in a row of deliveries, with the columns of `attempts`. */
export const FIRST_ATTEMPT = `
  select d.id as delivery_id, 1 as attempt, d.first_started_at as started_at, d.delivered_at - d.first_started_at as duration_ms,
    d.last_status as status, null as error, d.first_answer as answer
  from deliveries d`
