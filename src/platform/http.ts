/**
 * What the gateway uses of node:http. An `import` of node:http reads every export, `WebSocket` too, whose getter loads Node's own fetch: 50 ms of CPU for a
 * command, 2 MiB for a gateway. `test/rules/import-order.test.ts` keeps other files from it; types may come from node:http.
 */

import type * as Http from 'node:http'

const http = process.getBuiltinModule('node:http')

export const { createServer, request, STATUS_CODES } = http

export const ServerResponse = http.ServerResponse
export type ServerResponse = Http.ServerResponse
