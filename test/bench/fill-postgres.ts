import pg from 'pg'
import { sqlOn } from '../../src/store/postgres/database/sql.ts'
import { hideNul } from '../../src/store/postgres/database/texts.ts'
import { makeBlocks } from '../../src/store/postgres/events/event-blocks.ts'
import { vectorOf } from '../../src/store/postgres/search/lexemes.ts'
import { indexedTerms } from '../../src/store/rules/search-index.ts'
import { paymentBody, paymentOf } from './payments.ts'

const AT_ONCE = 2000

/** Makes so many events of payments, and their search index, by SQL: an empty database that the product has opened before holds them then. */
export async function fillPostgres(connection: pg.ClientConfig, count: number): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query('set synchronous_commit = off; set maintenance_work_mem = "512MB"; drop index search_terms_terms')
  for (let from = 0; from < count; from += AT_ONCE) {
    await insertPayments(client, from, Math.min(AT_ONCE, count - from), count)
    if (from % 100_000 === 0) process.stderr.write(`  filled ${from} of ${count}\r`)
  }
  const indexed = { through: count, generation: 0, settings: {}, rebuild: null }
  await client.query('update head set position = $1, callback = $1', [count])
  await client.query("insert into meta values ('search_index', $1)", [JSON.stringify(indexed)])
  await client.query(
    'create index search_terms_terms on search_terms using gin (terms) with (gin_pending_list_limit = 65536)',
  )
  await makeBlocks(sqlOn(client))
  await client.query('vacuum analyze')
  await client.end()
}

async function insertPayments(client: pg.Client, from: number, many: number, count: number): Promise<void> {
  const rows = Array.from({ length: many }, (_, n) => {
    const payment = paymentOf(from + n, count)
    const body = paymentBody(payment)
    const { id: subject, status } = payment
    const row = { kind: 'payment', environment: 'production', status, subject, content_type: null } as const
    const terms = indexedTerms(row, {}, () => body) ?? []
    const [position, at] = [from + n + 1, payment.at.getTime()]
    return { position, at, subject, status, body, vector: hideNul(vectorOf(position, at, terms)) }
  })
  await client.query('begin')
  await client.query(
    `insert into single_callbacks (id, nonce, callback_id, kind, environment, received_at, subject, status, part, parts, payload_hash, hash,
      authentication, content_type, headers, body)
    select id, 'aaaaaaaaaa', id, 'payment', 'production', at_ms(at), subject, status, 1, 1, '', '', 'mutual-tls', 'application/json', '[]', body
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[]) r (id, at, subject, status, body)`,
    [
      rows.map(({ position }) => position),
      rows.map(({ at }) => at),
      rows.map(({ subject }) => subject),
      rows.map(({ status }) => status),
      rows.map(({ body }) => body),
    ],
  )
  await client.query(
    'insert into search_terms select id, terms::tsvector from unnest($1::bigint[], $2::text[]) r (id, terms)',
    [rows.map(({ position }) => position), rows.map(({ vector }) => vector)],
  )
  await client.query('commit')
}
