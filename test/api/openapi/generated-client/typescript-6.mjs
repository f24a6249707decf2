/** The generator uses the JavaScript interface of TypeScript, which the version 7 of this project does not have. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-6' : specifier, context),
})
