/** The report's text of a finding, and the same in Portuguese. '' says what FINDINGS says. A value in braces stays; `{words}` is English. */
export type ValueText = readonly [english: string, portuguese: string]

const EXPIRES: ValueText = ['{name} expires {when}, on {day}', '{name} vence em {day}']
const EXPIRED: ValueText = ['{name} expired on {day}', '{name} venceu em {day}']
const MODE: ValueText = ['{place}: others may read or change it', '{place}: outros podem lê-lo ou alterá-lo']
const TRUSTED: ValueText = [
  '{name} is a test CA: only this machine trusts it',
  '{name} é de teste: só esta máquina confia nela',
]

/** Findings with other texts are quoted: they are messages of the system, or of another program. */
export const FINDING_VALUES: Readonly<Record<string, readonly ValueText[]>> = {
  'secrets.not_checked': [['credential {name} is not checked', 'A credencial {name} não foi verificada.']],
  'mode.development': [['development: missing certificates and the operator token are created at start', '']],
  'charges.without_tls': [['on, with plain http: the token in its path can be read on the way', '']],
  'charges.path_tokens': [
    [
      'taken from {addresses} without a client certificate: a callback proves of its caller only that it knows the secret of the URL',
      'Callbacks são aceitos sem certificado de cliente: o chamador prova apenas que conhece o segredo da URL. Endereços aceitos: {addresses}.',
    ],
  ],
  'accounts.any': [
    [
      'payments are accepted for every account: any customer of the institution may register your URL, with a valid certificate of the service',
      '',
    ],
  ],
  'node.outdated': [
    ['{version} lacks fixes that {other} has', 'À versão {version} do Node.js faltam correções que {other} tem.'],
  ],
  'node.unneeded_fixes': [
    [
      '{version} lacks fixes that {other} has, all in parts that Portaria does not use (the Brotli decoder)',
      'À versão {version} do Node.js faltam correções que {other} tem, todas em partes que o Portaria não usa.',
    ],
  ],
  'file.mode': [MODE, ['{place} and holds secrets', '{place}, e o arquivo contém segredos']],
  'file.owner': [['{place} and belongs to user {user}', '{place}, e o arquivo pertence ao usuário {user}']],
  'file.unreadable': [
    [
      '{place} and belongs to another user: the gateway may not read it',
      '{place}, e o arquivo pertence a outro usuário: o gateway não pode lê-lo',
    ],
    ['{place}: the gateway may not read it', '{place}: o gateway não pode lê-lo'],
  ],
  'file.writable': [['{place}: every user may change it', '{place}: todos os usuários podem alterá-lo']],
  'folder.writable': [
    ['{place}: every user may replace the files in it', '{place}: todos os usuários podem trocar os arquivos nela'],
  ],
  'database.mode': [
    ['{place}: every user may read it', '{place}: todos os usuários podem lê-lo'],
    ['{place}: its group may read it', '{place}: o grupo pode lê-lo'],
    ['{place}: others may read what was received', '{place}: outros podem ler o que foi recebido'],
  ],
  'database.folder': [
    [
      '{folder} does not exist yet, and this user may not write to {above}',
      '{folder} ainda não existe, e este usuário não pode escrever em {above}',
    ],
  ],
  'certificate.missing': [['{file} does not exist yet', '{file} ainda não existe']],
  'certificate.expired': [EXPIRED],
  'certificate.urgent': [EXPIRES],
  'certificate.expiring': [EXPIRES],
  'certificate.not_renewed': [
    [
      '{name} expires {when}, on {day}, and its file is older than the usual time between renewals: nothing renews it',
      '{name} vence em {day}, e o arquivo é mais antigo que o tempo usual entre renovações: nada o renova',
    ],
  ],
  'certificate.authority': [TRUSTED],
  'certificate.incomplete': [
    [
      '{issuer}, which issued {name}, is missing, and callers do not know it',
      'Falta {issuer}, que emitiu {name} e que os chamadores não conhecem',
    ],
  ],
  'certificate.usage': [
    ['{name} may not be used as a {usage} certificate', '{name} não pode ser usado como certificado de {usage}'],
  ],
  'certificate.names': [
    ['{name} names no host: callers refuse it', '{name} não tem nome de host: os chamadores o recusam'],
    ['names {names}, not {host}', 'O certificado vale para {names}, não para {host}'],
  ],
  'trust.missing': [['none exist yet', '']],
  'trust.test_ca': [
    [
      '{file} trusts the test CA {name}, whose keys are on the machines of developers',
      '{file} confia na CA de testes {name}, cujas chaves estão em máquinas de desenvolvedores',
    ],
  ],
  'trust.caller_usage': [
    [
      '{name} ({file}) may issue for servers only: its callers are refused as wrong_usage',
      '{name} ({file}) só emite para servidores: os seus chamadores são recusados (wrong_usage)',
    ],
  ],
  'trust.revocation_list': [
    [
      'of "{issuer}" ({file}): {count} revoked, next update {next}; it {words}',
      'Lista de "{issuer}" ({file}): {count} revogados, próxima atualização {next}',
    ],
  ],
  'database.replaced': [
    [
      'the running gateway has another file open than {file}: its file was removed or replaced',
      'O gateway em execução tem outro arquivo aberto, não {file}: o dele foi removido ou trocado',
    ],
  ],
  'database.standby': [['none is synchronous: a failover may lose what was acknowledged', '']],
  'database.superuser': [['is a superuser, and may do more than Portaria needs', '']],
  'database.rights': [['may not {rights}', 'Faltam estes direitos no banco de dados: {rights}.']],
  'integrity.unfinished': [
    ['not finished within {seconds} s: {size}', 'A verificação da integridade não terminou em {seconds} s: {size}.'],
  ],
  'search.behind': [
    [
      '{count} events cannot be found yet, the oldest of them for {minutes} minutes',
      '{count} eventos ainda não são encontrados, o mais antigo há {minutes} minutos.',
    ],
    [
      '{count} events cannot be found yet, the oldest of them for {minutes} minutes: {words}',
      '{count} eventos ainda não são encontrados, o mais antigo há {minutes} minutos: {words}',
    ],
  ],
  'space.unknown': [
    ['the system does not say how much is free at {place}', 'O sistema não diz quanto espaço há em {place}.'],
  ],
  'space.low': [
    [
      '{free} free at {place}, storage.minFreeSpace is {least}',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}.',
    ],
    [
      '{free} free at {place}, storage.minFreeSpace is {least}: refusals are no longer recorded',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}. As recusas não são mais registradas.',
    ],
    [
      '{free} free at {place}, storage.minFreeSpace is {least}: refusals and answers of destinations are no longer recorded',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}. Recusas e respostas dos destinos não são mais registradas.',
    ],
  ],
  'space.exhausted': [
    [
      '{free} free at {place}, storage.minFreeSpace is {least}: new callbacks are refused (503)',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}. Novos callbacks são recusados (503).',
    ],
  ],
  'nodes.differ': [['{work}; not as on most nodes: {keys}', 'Não é como na maioria dos nós: {keys}']],
  'nodes.name_shared': [['several nodes that live have this name', '']],
  'nodes.silent': [
    [
      'version {version}, silent since {time}: others send in its place',
      'Versão {version}, em silêncio desde {time}: outros enviam no lugar dele.',
    ],
  ],
  'clock.behind': [
    [
      'it says {now}, but this program was installed at {time}',
      'Ele mostra {now}, mas este programa foi instalado em {time}.',
    ],
    [
      'it says {now}, but the latest event was received at {time}',
      'Ele mostra {now}, mas o último evento foi recebido em {time}.',
    ],
  ],
  'clock.ahead': [
    [
      'the clock says {now}, {days} days after the last certain time {time}: nothing is removed or expired by age until it is right; {words}',
      'Ele mostra {now}, {days} dias depois da última hora certa, {time}: até ser acertado, nada é removido nem vence por idade.',
    ],
  ],
  'clock.differs': [
    ["this machine's clock is {seconds} s ahead", 'O relógio desta máquina está {seconds} s adiantado.'],
    ["this machine's clock is {seconds} s behind", 'O relógio desta máquina está {seconds} s atrasado.'],
  ],
  'gateway.older': [['runs, but it is older than the program: {words}', '']],
  'listener.any_port': [['it takes any free port', '']],
  'listener.silent': [
    [
      'the gateway runs, but {address} does not answer: {words}',
      'O gateway está em execução, mas {address} não responde: {words}',
    ],
  ],
  'listener.other_certificate': [
    [
      '{address} sends another certificate than {file}: {name}',
      '{address} mostra outro certificado que não {file}: {name}',
    ],
  ],
  'listener.open': [
    ['{address} accepts a caller that has no certificate', '{address} aceita um chamador sem certificado.'],
  ],
  'callbacks.refused': [
    [
      'callbacks of identified callers that were answered {status} in the last 24 hours: {count}, the last at {time}',
      'Callbacks de chamadores identificados respondidos com {status} nas últimas 24 horas: {count}, o último em {time}.',
    ],
    [
      'callbacks of identified callers that were answered {status} in the last 24 hours: {count}, the last at {time}; the first is sent again until about {until}: count it as lost after that',
      'Callbacks de chamadores identificados respondidos com {status} nas últimas 24 horas: {count}, o último em {time}; o primeiro é reenviado até cerca de {until}: depois disso, considere-o perdido.',
    ],
  ],
  'api.not_ready': [['{address} answers: not ready, {words}', '{address} responde que não está pronto: {words}']],
  'api.foreign': [
    [
      '{address} answers HTTP {status}, which is not this gateway',
      '{address} responde HTTP {status}: não é este gateway.',
    ],
  ],
  'forwarding.none': [
    ['there are none: events are stored and not forwarded', ''],
    [
      'there are none: events are stored and not forwarded, and there is no consumer and no client that could poll',
      'Não há destino, nem consumidor, nem cliente que consulte os eventos: eles são gravados e não encaminhados.',
    ],
    ['no destination gets its events', 'Nenhum destino recebe os eventos dela.'],
  ],
  'destination.paused': [['paused: {words}', 'O destino está pausado: {words}']],
  'destination.unreachable': [['{address}: {words}', 'Não é possível conectar a {address}: {words}']],
  'destination.silent': [
    [
      '{address} accepts connections, but did not respond: {words}',
      '{address} aceita conexões, mas não respondeu: {words}',
    ],
  ],
  'destination.institution': [
    [
      'it gets no events: the configuration has no {kinds} of {institutions}',
      'O destino não recebe eventos: a configuração não tem {kinds} de {institutions}.',
    ],
  ],
  'oidc.unreachable': [['{issuer} gives no metadata: {words}', '{issuer} não responde com os seus metadados: {words}']],
  'service.environment': [['it is the same in both environments, so one of them asks the wrong one', '']],
  'service.chain': [
    [
      '{key} has no chain for {environment}: the gateway refuses its callbacks',
      '{key} não tem cadeia para {environment}: o gateway recusa os callbacks desse ambiente.',
    ],
  ],
  'service.tokens_many': [
    [
      '{count} charge tokens of {environment} wait: many more than charges change',
      '{count} tokens de cobrança de {environment} esperam: muito mais do que cobranças mudam.',
    ],
  ],
  'service.outage': [
    [
      'no gateway ran from {from} to {to}; nothing is lost yet: the service sends again until {until}',
      'Nenhum gateway estava em execução de {from} a {to}. Nada se perdeu até agora: o serviço reenvia até {until}.',
    ],
    [
      'callbacks were answered 503 from {from} to {to}; nothing is lost yet: the service sends again until {until}',
      'Callbacks foram respondidos com 503 de {from} a {to}. Nada se perdeu até agora: o serviço reenvia até {until}.',
    ],
    [
      'no gateway ran from {from} to {to}; callbacks first sent from {first} to {last} may be lost; of the others the service sends again until {until}',
      'Nenhum gateway estava em execução de {from} a {to}. Callbacks enviados pela primeira vez de {first} a {last} podem estar perdidos; os outros são reenviados até {until}.',
    ],
    [
      'callbacks were answered 503 from {from} to {to}; callbacks first sent from {first} to {last} may be lost; of the others the service sends again until {until}',
      'Callbacks foram respondidos com 503 de {from} a {to}. Callbacks enviados pela primeira vez de {first} a {last} podem estar perdidos; os outros são reenviados até {until}.',
    ],
    [
      'no gateway ran since {from}; nothing is lost before {until}',
      'Nenhum gateway está em execução desde {from}. Nada se perde antes de {until}.',
    ],
    [
      'callbacks were answered 503 since {from}; nothing is lost before {until}',
      'Callbacks são respondidos com 503 desde {from}. Nada se perde antes de {until}.',
    ],
  ],
  'outside.unreachable': [['{address}: {words}', '{address} não foi alcançado: {words}']],
  'outside.old_tls': [['the server speaks it', '']],
  'outside.suffix': [
    [
      'the URL ends in {suffix}, and the service appends it again: its calls go to {path}, which is answered 404',
      'A URL termina em {suffix}, e o serviço o acrescenta de novo: as chamadas vão para {path}, que responde 404.',
    ],
    ['{words}, but {bare} without it', 'Com o sufixo: {words}; sem ele: {bare}'],
  ],
  'outside.name': [['{name} does not name {host}', '{name} não vale para {host}.']],
  'outside.sni': [
    ['another certificate or chain is sent: {name}', 'Sem o nome do host (SNI) é enviado outro certificado: {name}.'],
  ],
  'outside.not_tried': [
    ['not tried: no client certificate was given', 'Não foi testado: falta um certificado de cliente.'],
    ['could not be tried: no connection, or no response', 'Não pôde ser testado: sem conexão ou sem resposta.'],
    ['could not be tried', ''],
  ],
}
