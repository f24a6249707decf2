import type { Catalogue } from '../catalogue.ts'

export const GAPS: Catalogue['gaps'] = {
  title: 'Lacunas',
  intro:
    'O que foi recebido, o que foi consultado no serviço porque nenhum callback havia chegado, e o que não se sabe. Os dias são em UTC; para o desconhecido, o dia local da solicitação.',
  none: 'Nenhum evento e nenhuma lacuna.',
  noneMatches: 'Nenhum dia corresponde aos filtros.',
  day: 'Dia',
  kind: 'Tipo',
  environment: 'Ambiente',
  any: 'qualquer',
  received: 'Recebidos',
  reconciled: 'Reconciliados',
  duplicates: 'Duplicados',
  unknown: 'Desconhecidos',
  delay: 'Atraso (percentil 95)',
  seconds: (count) => `${count} s`,
  settledBy: 'Como se resolve',
  question: 'uma pergunta ao serviço',
  since: 'Desde o dia (UTC)',
  filter: 'Filtrar',
  ask: 'Perguntar ao serviço o que faltou',
  askHint:
    'A consulta é feita em segundo plano. O que o serviço diz vira eventos, como se os callbacks tivessem chegado.',
  asked: 'O serviço foi consultado em',
  runs: { running: 'em andamento', done: 'concluído', failed: 'falhou' },
  learned: (count) => (count === 1 ? '1 evento recuperado' : `${count} eventos recuperados`),
  asking: 'O serviço está sendo consultado. Recarregue a página para ver o que ele diz.',
  openings: 'Aberturas em espera ou recusadas',
  more: (count) => `mais ${count}, que o operador pode listar`,
  moreOfOperator: (count) => `mais ${count}; para listá-las, na máquina do gateway: portaria service gaps`,
  openingsHint: 'O serviço não diz qual das duas. São consultadas de novo, cada vez mais raramente.',
}
