import { z } from 'zod'

const position = z.int().min(0)

export const searchStateSchema = z
  .strictObject({
    indexedThrough: position.describe('Position of the newest event that a search finds; 0: none'),
    latest: position.describe('Position of the newest event; 0: none'),
    lagEvents: z.int().min(0).describe('Events that a search does not find yet'),
    lagSeconds: z.number().min(0).describe('Age of the oldest of them; 0: there is none'),
    isRebuilding: z.boolean().describe('The index is being made again from all events'),
    rebuiltThrough: position
      .nullable()
      .describe('How far that is: a position up to `indexedThrough`; null: the index is not being made again'),
    problem: z
      .string()
      .nullable()
      .describe('Why nothing can be added now, to be tried again; null: nothing is in the way'),
    indexBytes: z.int().min(0).describe('Bytes of the index in the database'),
  })
  .meta({ id: 'SearchState', description: 'How far the search index is behind the events.' })
