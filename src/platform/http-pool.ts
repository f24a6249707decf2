/**
 * undici's connections alone. The main file of the package also loads fetch, WebSocket, caches and test doubles, which take another 13 MiB
 * and are not used here. The version of undici is pinned, and `test/platform/http-pool.test.ts` compares both.
 */

import { createRequire } from 'node:module'
import type { Client as Clients, errors as Errors, Pool as Pools } from 'undici'

const require = createRequire(import.meta.url)

export const Pool = require('undici/lib/dispatcher/pool.js') as typeof Pools
export type Pool = Pools

/** A single connection. */
export const Client = require('undici/lib/dispatcher/client.js') as typeof Clients
export type Client = Clients

export const errors = require('undici/lib/core/errors.js') as typeof Errors
