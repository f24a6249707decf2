import { expect, it } from 'vitest'
import { tablesFor } from '../../../src/store/sql/schema.ts'
import { insertInto, selected } from '../../../src/store/sql/table-texts.ts'
import { TABLES, tableNamed } from '../../../src/store/sql/tables.ts'

function definitionOf(database: 'sqlite' | 'postgres', table: string): string {
  return new RegExp(`create table ${table} \\(.*?;`, 's').exec(tablesFor(database))?.[0] ?? ''
}

it('a line of one database is in its schema alone, and no mark is left', () => {
  expect(definitionOf('sqlite', 'destinations')).toMatch(/deliveries_through integer\n\) strict;$/)
  expect(definitionOf('postgres', 'destinations')).toMatch(/is_settled boolean not null default false\n\);$/)
  expect(tablesFor('sqlite')).toContain('create index replays_running')
  expect(tablesFor('postgres')).not.toContain('create index replays_running')
  expect(`${tablesFor('sqlite')}${tablesFor('postgres')}`).not.toMatch(/-- (sqlite|postgres)\n/)
})

it('numbers, times and booleans have the types of each database', () => {
  const columns = ['id', 'refused_at', 'is_probe'].map((name) => new RegExp(`^ +(${name} .*?),?$`, 'm'))
  const typesIn = (database: 'sqlite' | 'postgres') =>
    columns.map((column) => column.exec(definitionOf(database, 'refusals'))?.[1])
  expect(typesIn('sqlite')).toEqual([
    'id integer primary key autoincrement',
    'refused_at integer not null',
    'is_probe integer not null default 0',
  ])
  expect(typesIn('postgres')).toEqual([
    'id bigint primary key generated always as identity',
    'refused_at timestamptz not null',
    'is_probe boolean not null default false',
  ])
  expect(definitionOf('sqlite', 'alarms')).toMatch(/strict, without rowid;$/)
})

it('each table has columns and a primary key among them', () => {
  for (const { columns, key } of TABLES.values()) {
    expect(key.length).toBeGreaterThan(0)
    expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining([...key]))
  }
  expect(() => tableNamed('unknown')).toThrow('no table unknown')
})

it('statements name columns as the program does, and leave out the columns that are named', () => {
  expect(selected('outages', 'cause')).toBe(
    'id, began_at as "beganAt", ended_at as "endedAt", raised_at as "raisedAt", reconciled_at as "reconciledAt"',
  )
  const dialect = { time: (ms: string) => `at(${ms})` } as Parameters<typeof insertInto>[0]
  expect(insertInto(dialect, 'silences')).toBe(
    'insert into silences (kind, since, raised_at) values (:kind, at(:since), at(:raisedAt))',
  )
})
