import type { Catalogue } from '../catalogue.ts'

const DECIDED = 'O fato já foi liberado ou descartado, o que é definitivo.'
const SAME_NAME = 'Vários destinos têm este nome: digite o ID do destino desejado.'

export const PROBLEMS: Catalogue['problems'] = {
  fields: {
    reason: 'O motivo precisa de 1 a 200 caracteres em uma linha.',
    destination: 'Não existe esse destino. A lista de destinos mostra todos.',
    secret: 'O segredo não pode ser usado. Digite whsec_ e o base64 de 24 a 64 bytes, ou deixe vazio.',
    kinds: 'Escolha tipos da lista.',
    url: 'A URL não pode ser usada. Digite-a assim: https://books.example/hooks.',
    environments: 'Escolha ambientes da lista.',
    institutions: 'Escolha instituições da lista.',
    subjects:
      'Os assuntos não podem ser usados. Digite até 500 assuntos e 50 inícios, cada um com até 512 caracteres, um por linha.',
    timeoutMs: 'O tempo limite deve ser um número inteiro de 100 a 120000.',
    concurrency: 'O número de tentativas ao mesmo tempo deve ser de 1 a 256.',
    rateLimit: 'O limite deve ser um número inteiro de 1 a 100000.',
    scheduleMs: 'Não foi possível ler as esperas. Digite até 100 durações de até 30 dias, por exemplo 0s 30s 5m.',
    headers:
      'Os cabeçalhos não podem ser usados. Digite um por linha, por exemplo x-team: books. O próprio gateway define alguns.',
    authorities: 'As autoridades certificadoras não podem ser usadas. Cole certificados de AC em PEM.',
    overlap: 'Não foi possível ler a sobreposição. Digite uma duração de até 30 dias, por exemplo 24h.',
    position: 'Não existe esse evento ou cursor. Digite o ID de um evento, ou um cursor que a API deu.',
    time: 'Não foi possível ler a hora. Digite-a assim: 2026-11-22 10:00.',
    from: 'Não foi possível ler o início do período. Digite-o assim: 2026-11-22 10:00.',
    to: 'Não foi possível ler o fim do período. Digite-o assim: 2026-11-22 10:00.',
    name: 'O nome precisa de 1 a 63 letras, dígitos, pontos e hifens, e começa com uma letra ou um dígito.',
    environment: 'Escolha um ambiente.',
    scopes: 'Escolha pelo menos um escopo.',
    grace: 'Não foi possível ler a carência. Digite uma duração de até 30 dias, por exemplo 24h.',
    kind: 'O gateway não recebe callbacks deste tipo.',
    client: 'Escolha um cliente da lista.',
    pem: 'Falta a cadeia. Informe os certificados dela, em PEM.',
  },
  forms: {
    '/events/:id/replay': {
      request_invalid: 'Escolha um destino: só o escopo operations.write envia a todos de uma vez.',
      not_found: 'O evento ou o destino não existe mais, ou você não pode vê-lo.',
      forbidden:
        'Você não pode enviar este evento para lá: o destino é de outro ambiente, ou o seu escopo só repete entregas que já existem.',
      conflict: 'Nada foi enviado: os dados do evento, ou todos os destinos que têm uma entrega dele, foram removidos.',
    },
    '/destinations/:id/pause': { conflict: 'Não pode ser pausado: não está mais no arquivo de configuração.' },
    '/destinations/:id/resume': {
      conflict:
        'Continua pausado: o certificado de cliente não pode ser usado, ou o destino não está mais no arquivo de configuração.',
    },
    '/destinations/new': {
      conflict: 'O nome já está em uso, ou já há tantos destinos quantos são permitidos.',
    },
    '/destinations/:id/edit': {
      conflict: 'Nada foi alterado: o nome já está em uso, ou um aplicativo cadastrou a URL e os tipos.',
    },
    '/destinations/:id/delete': { conflict: 'Nada foi excluído: o destino está no arquivo de configuração.' },
    '/destinations/:id/rotate': { conflict: 'Nada foi alterado: o segredo está no arquivo de configuração.' },
    '/deliveries/:id/retry': {
      conflict:
        'Não pode ser enviada: espera outra entrega do mesmo assunto, ou o destino ou os dados do evento foram removidos.',
    },
    '/deliveries/:id/skip': { conflict: 'A entrega já terminou: não há nada para pular.' },
    '/consumers/:owner/:name/seek': {
      conflict: 'O número de consumidores chegou ao limite. Exclua um que não é mais usado.',
    },
    '/replays/new/count': { request_invalid: SAME_NAME },
    '/replays/new': {
      request_invalid: SAME_NAME,
      conflict: 'Já há o máximo de reenvios em andamento. Espere um terminar, ou cancele um.',
    },
    '/replays/:id/cancel': {
      conflict: 'O reenvio terminou, e nenhuma entrega dele espera: não há nada para cancelar.',
    },
    '/registrations/new': {
      not_found: 'Não existe esse cliente, ou ele foi revogado.',
      conflict: 'O aplicativo já cadastrou esta URL, ou já há tantos destinos quantos são permitidos.',
    },
    '/clients/new': {
      conflict: 'Um cliente não revogado tem este nome, ou já há tantos clientes quantos são permitidos.',
    },
    '/clients/:id/rotate': { conflict: 'Nada foi alterado: o cliente está revogado.' },
    '/quarantine/:id/release': { conflict: DECIDED },
    '/quarantine/:id/discard': { conflict: DECIDED },
  },
  codes: {
    request_invalid: 'Não foi possível ler o que foi digitado.',
    forbidden: 'É de outro ambiente ou de outro cliente, ou informa sobre o gateway inteiro.',
    address_forbidden: 'O gateway não envia para este endereço.',
    insufficient_scope: 'Falta o escopo para isto. O operador pode dá-lo a um cliente.',
    not_found: 'Não existe, ou não existe mais.',
    conflict: 'Mudou enquanto isso. Carregue a página de novo.',
    certificate_invalid: 'Esta cadeia não pode ser usada.',
    configuration_invalid: 'A configuração não tem um lugar único para uma cadeia deste ambiente.',
    queue_full: 'Há requisições demais à espera de resposta.',
    store_unavailable: 'O banco de dados não pode ser usado agora.',
    trust_missing: 'Nenhuma cadeia do serviço está instalada.',
    unauthorized: 'A sessão terminou. Entre de novo.',
    method_not_allowed: 'Isto não pode ser feito aqui.',
    not_acceptable: 'Não é possível dar a resposta na forma pedida.',
    gone: 'Foi removido quando o prazo dele terminou.',
    misdirected: 'O gateway não conhece este nome de host.',
    too_many_requests: 'Houve requisições demais. Tente de novo em um minuto.',
    loop_detected: 'A requisição voltou ao gateway que a enviou.',
    store_locked: 'Outro programa usa o banco de dados.',
    store_newer: 'O banco de dados é de uma versão mais nova do programa.',
    store_missing: 'Não há banco de dados.',
    listen_failed: 'Não é possível abrir um endereço ou uma porta.',
  },
  other: (status) => `A API respondeu HTTP ${status}.`,
  detail: 'Detalhe da API, em inglês',
}
