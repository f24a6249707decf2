import type { Texts } from '../../../translator.ts'

/** What commands show of what they did, found or wait for. */
export const OUTCOMES_MESSAGES: Texts = {
  "--{given} works only on the gateway's machine: by the API the gateway runs the check itself, as its configuration says; leave --{given} out, or run the command there":
    '--{given} só funciona na máquina do gateway: pela API, o próprio gateway faz a verificação, conforme a configuração dele; retire --{given}, ou execute o comando lá',
  '! not checked: {words}': '! não verificado: {words}',
  '{id} is due again: {names}': '{id} será enviado de novo: {names}',
  '{id} is pending already and was not changed: see {command} deliveries show {id}':
    '{id} já está pendente e não foi alterada: veja {command} deliveries show {id}',
  "--raw reads the body in the database, and works only on the gateway's machine: run it there, or use --json, which has the data of the fact":
    '--raw lê o corpo no banco de dados e só funciona na máquina do gateway: execute o comando lá, ou use --json, que tem os dados do fato',
  'the gateway uses {file}': 'o gateway usa {file}',
  'renewed: {what}': 'renovado: {what}',
  'not taken up: {words}': 'não passou a valer: {words}',
  'earlier content': 'conteúdo anterior',
  'a chain of {environment}': 'uma cadeia de {environment}',
  'the list of destinations': 'a lista de destinos',
  'the configuration': 'a configuração',
  'needs a restart: {keys}': 'exige reinício: {keys}',
  'the private authorities of destinations': 'as autoridades privadas dos destinos',
  "the callback listener's certificate": 'o certificado do listener de callbacks',
  "the charge listener's certificate": 'o certificado do listener de cobranças',
  "the API's certificate": 'o certificado da API',
  'the chains of the service': 'as cadeias do serviço',
  "the authorities of the API's clients": 'as autoridades dos clientes da API',
  'the client of the service ({environment})': 'o cliente do serviço ({environment})',
  'the client certificate for destinations': 'o certificado de cliente para os destinos',
  'accepted after {time} ms: {words}': 'aceito em {time} ms: {words}',
  'failed after {time} ms: {words}': 'falhou em {time} ms: {words}',
  '{what} is muted until {time}': '{what} está silenciado até {time}',
  event: 'evento',
  data: 'dados',
  payload: 'conteúdo',
  'removed on {time}': 'removidos em {time}',
  'removed at {time}': 'removido em {time}',
  'attempt {number}': 'tentativa {number}',
  'no answer': 'sem resposta',
  delivered: 'entregue',
  'the latest {shown} of {all} attempts': 'as últimas {shown} de {all} tentativas',
  'waits for another delivery of its subject': 'espera outra entrega do mesmo assunto',
  'waits: the destination is paused': 'espera: o destino está pausado',
  'waits: the destination accepts nothing at the moment': 'espera: o destino não aceita nada no momento',
  'asking {issuer} for its metadata': 'pedindo a {issuer} os metadados',
  'calling {url} with an untrusted certificate': 'chamando {url} com um certificado não confiável',
  'making the service’s two requests to {url}': 'fazendo as duas requisições do serviço a {url}',
  'reading the served certificate': 'lendo o certificado apresentado',
  'asking the service for tokens': 'pedindo tokens ao serviço',
  'the check ended with {ending}: {words}': 'a verificação terminou com {ending}: {words}',
  'the check did not end within {seconds} s': 'a verificação não terminou em {seconds} s',
  'the child process ended with {ending}': 'o processo filho terminou com {ending}',
  'ended with exit code {code}': 'terminou com o código de saída {code}',
  'cannot be started: {words}': 'não pode ser iniciado: {words}',

  "no delivery has {name} '{value}'": "nenhuma entrega tem {name} '{value}'",
  "no quarantined fact has {name} '{value}'": "nenhum fato em quarentena tem {name} '{value}'",
  "no event has {name} '{value}'": "nenhum evento tem {name} '{value}'",
  "no event has {name} '{value}' yet": "nenhum evento tem ainda {name} '{value}'",
  "no {environment} event has {name} '{value}'": "nenhum evento de {environment} tem {name} '{value}'",
  "no {environment} event has {name} '{value}' yet": "nenhum evento de {environment} tem ainda {name} '{value}'",
  "no event of kind {kinds} has status '{value}'": "nenhum evento do tipo {kinds} tem status '{value}'",
  "no event of kind {kinds} has status '{value}' yet": "nenhum evento do tipo {kinds} tem ainda status '{value}'",
  "no event of institution '{institution}' has {name} '{value}'":
    "nenhum evento da instituição '{institution}' tem {name} '{value}'",
  "no event of institution '{institution}' has {name} '{value}' yet":
    "nenhum evento da instituição '{institution}' tem ainda {name} '{value}'",
  'kinds of this gateway: {names}': 'tipos deste gateway: {names}',
  'these events have no status': 'estes eventos não têm status',
  'statuses: {names}': 'status: {names}',

  'r: send again · o: open the page · ↑ ↓: choose · Ctrl-C: end':
    'r: enviar de novo · o: abrir a página · ↑ ↓: escolher · Ctrl-C: encerrar',
  'waiting for events': 'à espera de eventos',
  'connected again': 'conectado de novo',
  'not connected: {words}; it goes on trying': 'sem conexão: {words}; as tentativas continuam',
  'another listener of the consumer {name} has the next event, at the latest until {until}; --consumer NAME gets all events itself':
    'outro processo do consumidor {name} está com o próximo evento, no máximo até {until}; com --consumer NOME este recebe todos os eventos',
  'the consumer {name} was deleted: it is made again, and goes on where this listener was':
    'o consumidor {name} foi excluído: ele é criado de novo e continua de onde este comando estava',
  'the consumer {name} waits for new events': 'o consumidor {name} espera novos eventos',
  'the consumer {name} has {behind} events to catch up with (--from latest skips them)':
    'faltam {behind} eventos ao consumidor {name} (--from latest os pula)',
  'ended with {taken} of {count} events': 'terminou com {taken} de {count} eventos',
  'the attempt was given up': 'a tentativa foi abandonada',
  '{url} ({command} events show has the same in words)': '{url} ({command} events show mostra o mesmo em texto)',
  '{id} is skipped: its data was removed': '{id} foi pulado: os dados dele foram removidos',
  '{id} was answered after its lease had ended, and comes again':
    '{id} foi respondido depois do fim da concessão, e virá de novo',

  '--kinds none: name the kinds, or add --institution NAME':
    '--kinds none: informe os tipos, ou use --institution NOME',
  '--host-name "{name}" is not a DNS name: give the name that the service calls, such as callbacks.example.com':
    '--host-name "{name}" não é um nome DNS: informe o nome que o serviço chama, por exemplo callbacks.example.com',
  '--environments "{names}": write production, sandbox, or both with a comma':
    '--environments "{names}": escreva production, sandbox, ou os dois com uma vírgula',
  'the ports {ports} must all be different': 'as portas {ports} devem ser todas diferentes',
  'there is no preset "{name}": {words}': 'não existe o modelo "{name}": {words}',

  'Instead of the active chain of {realm}:': 'No lugar da cadeia ativa de {realm}:',
  'Instead of the active {count} chains of {realm}:': 'No lugar das {count} cadeias ativas de {realm}:',
  'Beside the active chain of {realm}, which stays active:': 'Junto com a cadeia ativa de {realm}, que continua ativa:',
  'Beside the active {count} chains of {realm}, which stay active:':
    'Junto com as {count} cadeias ativas de {realm}, que continuam ativas:',
  'No chain of {realm} can be used yet; with this one:': 'Ainda não há cadeia utilizável de {realm}; com esta:',
  'nothing is added or removed': 'nada é adicionado ou removido',
  '+ added': '+ adicionado',
  '- removed': '- removido',
  '= kept': '= mantido',
  'issues callers, may call itself': 'emite chamadores, pode chamar ele mesmo',
  'issues callers, may not call itself': 'emite chamadores, não pode chamar ele mesmo',
  'issues callers': 'emite chamadores',
  intermediate: 'intermediário',
  root: 'raiz',
  '{name} (may call itself)': '{name} (pode chamar ele mesmo)',
  '{day} ({count} days)': '{day} ({count} dias)',
  'No caller of this environment was seen in the last 30 days.':
    'Nenhum chamador deste ambiente foi visto nos últimos 30 dias.',
  'All {seen} callers seen in the last 30 days are accepted.':
    'Todos os {seen} chamadores vistos nos últimos 30 dias continuam aceitos.',
  'REFUSED would be {refused} of {seen} callers seen in the last 30 days:':
    'Seriam RECUSADOS {refused} dos {seen} chamadores vistos nos últimos 30 dias:',
  '{name}, last seen in the hour from {hour}: {words}': '{name}, visto por último na hora a partir de {hour}: {words}',
  'a CA certificate is accepted only if it is an installed issuing certificate with the usage digitalSignature':
    'um certificado de AC só é aceito se for um emissor instalado com o uso digitalSignature',
  'no installed certificate has issued it': 'nenhum certificado instalado o emitiu',
  'it is denied (deny)': 'está proibido (deny)',
  'it, or a certificate above it, is revoked': 'ele, ou um certificado acima dele, foi revogado',
  'the revocation list of an authority above it is out of date (crlExpired: refuse)':
    'a lista de revogação de uma autoridade acima dele está vencida (crlExpired: refuse)',
  'it is not for TLS clients, and the chain has no usage: any':
    'não é para clientes TLS, e a cadeia não tem usage: any',
  'no rule under allow matches it': 'nenhuma regra de allow corresponde a ele',
  'its issuer belongs to another environment or institution':
    'o emissor dele pertence a outro ambiente ou a outra instituição',
  'the certificate that issued it is out of date': 'o certificado que o emitiu está fora da validade',
  'in addition to the active chains': 'além das cadeias ativas',
  'instead of them': 'no lugar delas',
  'the chain {name} is active': 'a cadeia {name} está ativa',
  'the chain {name} is active; retired: {names}': 'a cadeia {name} está ativa; retiradas: {names}',
  'the chain {name} is retired': 'a cadeia {name} foi retirada',

  '{file}   its private key: it stays in this folder; keep a copy of the folder where you keep secrets':
    '{file}   a chave privada dela: fica nesta pasta; guarde uma cópia da pasta onde você guarda segredos',
  '{file}   its certificate: give it to the systems that shall trust what it issues':
    '{file}   o certificado dela: entregue-o aos sistemas que devem confiar no que ela emite',
  '{file}  its revocation list': '{file}  a lista de revogação dela',
  'issued {name} (serial number {serial}), valid until {day}':
    'emitido {name} (número de série {serial}), válido até {day}',
  '{file}   the private key: a secret': '{file}   a chave privada: um segredo',
  '{file}   the certificate and that of the authority': '{file}   o certificado e o da autoridade',
  '{file}   key and certificates: a secret': '{file}   chave e certificados: um segredo',
  '{file}   its password: send it another way than the file':
    '{file}   a senha dele: envie-a por outro meio que não o do arquivo',
  'Next: name it in the configuration, and give ca.pem of the authority to the systems that it is shown to:':
    'A seguir: informe-o na configuração, e entregue ca.pem da autoridade aos sistemas a que ele é apresentado:',
  'Next: give these files to the app, and name ca.pem of the authority as api.clientCa and crl.pem under api.clientCrl.':
    'A seguir: entregue estes arquivos ao aplicativo, e informe ca.pem da autoridade como api.clientCa e crl.pem em api.clientCrl.',
  'revoked {name} ({use}), serial number {serial}, valid until {day}':
    'revogado {name} ({use}), número de série {serial}, válido até {day}',

  'back it up with PostgreSQL: pg_dump, or pg_basebackup and archived WAL':
    'faça o backup com o PostgreSQL: pg_dump, ou pg_basebackup e o WAL arquivado',
  'restore it with PostgreSQL: pg_restore of a pg_dump and then analyze, or a base backup and its WAL':
    'restaure-o com o PostgreSQL: pg_restore de um pg_dump e depois analyze, ou um backup base e o WAL dele',
  'PostgreSQL has no loss to confirm; after a restore to an earlier time let consumers read again from there':
    'o PostgreSQL não tem perda para confirmar; depois de restaurar um momento anterior, faça os consumidores lerem de novo a partir dali',
  'interrupted: the search index of {file} was not checked completely':
    'interrompido: o índice de busca de {file} não foi verificado por completo',
  'interrupted: {file} was not checked completely': 'interrompido: {file} não foi verificado por completo',
  'data of events': 'dados de eventos',
  'whole events': 'eventos inteiros',
  'whole callbacks': 'callbacks inteiros',
  'the data of {count} events, and {events} whole events': 'os dados de {count} eventos, e {events} eventos inteiros',
  'event {id} of {last}': 'evento {id} de {last}',
  'event {position} of {last}, {rate} events/s, {time} left':
    'evento {position} de {last}, {rate} eventos/s, faltam {time}',
}
