/** Of an event `e` with its callback `c`. */
export const AUTHENTICATION = `case when e.source = 'resolved' then 'service' else c.authentication end`
export const CONTENT_TYPE = `case when e.source = 'resolved' then 'application/json' else c.content_type end`
