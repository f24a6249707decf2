import { expect, it } from 'vitest'
import { environmentNamed } from '../../src/domain/realm.ts'

it('an environment is understood under our names and those of the service, in any case, with and without accents', () => {
  const names = {
    production: ['production', 'PRODUCTION', 'producao', 'produção', 'Produção', 'PRODUÇÃO', 'Produc\u0327a\u0303o'],
    sandbox: ['sandbox', 'Sandbox', 'homologacao', 'homologação', 'Homologação', 'HOMOLOGACAO'],
  }
  for (const [environment, texts] of Object.entries(names))
    expect(texts.map(environmentNamed)).toEqual(texts.map(() => environment))
  expect(['', 'prod', 'homolog', 'staging', 'constructor', 'produc ao'].map(environmentNamed)).toEqual(
    Array(6).fill(null),
  )
})
