/**
 * Generates a typed client of each given document, OUT/NAME.json, into OUT/NAME.
 * The generator uses the JavaScript interface of TypeScript, which the version 7 of this project does not have.
 */

import { registerHooks } from 'node:module'
import { join } from 'node:path'

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-6' : specifier, context),
})
const { createClient } = await import('@hey-api/openapi-ts')
const [out = '', ...names] = process.argv.slice(2)
await createClient(
  names.map((name) => ({
    input: join(out, `${name}.json`),
    output: { path: join(out, name), module: { extension: '.ts' } },
    logs: { level: 'silent' as const },
  })),
)
