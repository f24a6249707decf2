import type { Catalogue } from '../catalogue.ts'

export const FIND: Catalogue['find'] = {
  title: 'Buscar',
  search: 'Buscar em todos os eventos',
  hint: 'Qualquer valor de um callback: txid, endToEndId, CPF ou CNPJ, nome, e-mail, telefone, data como 02/03/2026, valor como 150,10, ID do evento. Bastam os primeiros 4 caracteres.',
  button: 'Buscar',
  filters: 'Tipo, status, período',
  kind: 'Tipo',
  everyKind: 'todos os tipos do serviço',
  environment: 'Ambiente',
  both: 'os dois',
  status: 'Status',
  from: 'Do dia',
  to: 'Até o dia',
  problems: (fields) =>
    `Isto não é um dia: ${fields.map((field) => (field === 'from' ? 'do dia' : 'até o dia')).join(', ')}. Escreva assim: 2026-11-22.`,
  lag: (events, seconds) =>
    events === 1
      ? `A busca ainda não encontra o evento mais novo: está ${seconds} s atrasada.`
      : `A busca ainda não encontra os ${events} eventos mais novos: está ${seconds} s atrasada.`,
  rebuilding: 'O índice da busca está sendo refeito: eventos mais antigos podem faltar até o fim.',
  results: 'Eventos, do mais novo ao mais antigo',
  subject: 'Evento',
  time: 'Recebido',
  amount: 'Valor',
  delivered: 'Entregue',
  noDestination: 'sem destino',
  noOwnDestination: 'nenhum seu',
  failed: (count, all) => (all === 1 ? 'falhou' : `falhou: ${count} de ${all}`),
  waiting: (count, all) => (all === 1 ? 'aguardando' : `aguardando: ${count} de ${all}`),
  deliveredTo: (count, all) => (all === 1 ? 'entregue' : `entregue: ${count} de ${all}`),
  canceled: 'cancelada',
  nothing: 'Nenhum evento corresponde.',
  nothingStored: 'Ainda não há eventos armazenados.',
  noEvents: 'Assim que o serviço chamar este gateway, os callbacks aparecem aqui.',
  advice: 'Confira o valor, tire uma palavra ou um filtro, ou escreva só o começo.',
  unreadable:
    'Não é possível ler esta busca. Escreva ao menos uma letra ou um dígito, e no máximo 10 palavras e 200 caracteres.',
  unreadableFilter: 'Não é possível ler um filtro ou o endereço desta página. Escolha os filtros de novo.',
  maskedAdvice:
    'Dados pessoais estão ocultos para você: escreva palavras e números inteiros. Valores são encontrados onde você os vê. Um número com menos de 6 dígitos deve ficar sozinho: ele encontra o evento com este número.',
  everything: 'Mostrar todos os eventos',
  nothingYet: 'Nada foi encontrado entre os eventos mais novos.',
  goOn: 'Continue com os mais antigos.',
}
