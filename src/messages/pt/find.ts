import type { Catalogue } from '../catalogue.ts'

export const FIND: Catalogue['find'] = {
  title: 'Buscar',
}
