import type { Catalogue } from '../catalogue.ts'

export const COMMON: Catalogue['common'] = {
  signIn: 'Entrar',
  signOut: 'Sair',
  back: 'Voltar',
  yes: 'sim',
  no: 'não',
  none: 'nenhum',
  reason: 'Motivo',
  optionalReason: 'Motivo (opcional)',
  institution: 'Instituição',
  everyInstitution: 'todas as instituições',
  pager: 'Páginas desta lista',
  firstPage: 'Primeira página',
  previousPage: 'Página anterior',
  nextPage: 'Próxima página',
  events: (count: number) => (count === 1 ? '1 evento' : `${count} eventos`),
  zone: 'No fuso',
  decimal: ',',
}
