/*
 * What finds a delivery. One that is made with its event has no entry in an index of events: the event names the ids of all of them. One that waits is in
 * the index of due deliveries, one that is claimed in that of claims instead. So a delivery that is handed over with the commit of its callback and then
 * succeeds enters and leaves only the small index of claims.
 */

/** Deliveries `d` of the events in a list with the column `value`, such as `json_each(:events)`. Each once, in no order. */
export function deliveriesOf(list: string): string {
  return `(
    select d.* from ${list} j cross join events e on e.id = j.value cross join deliveries d on d.id between e.first_delivery and e.last_delivery
    union all
    select d.* from ${list} j cross join deliveries d indexed by deliveries_event on d.event_id = j.value and d.is_first is null) d`
}

/** Whether an event `e` has a delivery `d` with this condition. */
export function existsDelivery(condition: string): string {
  return `(exists (select 1 from deliveries d where d.id between e.first_delivery and e.last_delivery and (${condition}))
    or exists (select 1 from deliveries d indexed by deliveries_event where d.event_id = e.id and d.is_first is null and (${condition})))`
}

/** Pending deliveries, those that are due and those that are claimed. @param rest of both selects: beginning with `and`, or a `group by`; default none */
export function pendingDeliveries(columns: string, rest = ''): string {
  return `(
    select ${columns} from deliveries indexed by deliveries_due where state = 'pending' and claimed_by is null ${rest}
    union all
    select ${columns} from deliveries indexed by deliveries_claimed where claimed_by is not null and state = 'pending' ${rest})`
}
