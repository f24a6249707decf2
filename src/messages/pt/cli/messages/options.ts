import type { Texts } from '../../../translator.ts'

/** Options, arguments, empty lists, the configuration and other machines. */
export const OPTIONS_MESSAGES: Texts = {
  'It must be all, or one of: {names}.': 'Deve ser all, ou um destes: {names}.',
  'It {problem}, or a span such as {example}.': 'O valor {problem}, ou uma duração como {example}.',
  'It {problem}, or an age such as {example}.': 'O valor {problem}, ou uma idade como {example}.',
  'It {words}.': 'O valor {words}.',
  'no channels: the section alarms of the configuration has none':
    'nenhum canal: a seção alarms da configuração não tem nenhum',
  'no alarms': 'nenhum alarme',
  'no mutes': 'nenhum silenciamento',
  sent: 'enviado',
  'not sent': 'não enviado',
  'no actions': 'nenhuma ação',
  '--offline makes no connection, and --url asks for some': '--offline não faz conexões, e --url pede algumas',
  '--institution is for --url URL: add it, or leave it out':
    '--institution vale com --url URL: inclua --url, ou retire --institution',
  '--cert and --key are for --url URL: add it, or leave them out':
    '--cert e --key valem com --url URL: inclua --url, ou retire as duas',
  '--cert and --key belong together: give both': '--cert e --key só valem juntas: informe as duas',
  'checking {file} of database': 'verificando {file} do banco de dados',
  '{pathname} is a path of {names}: choose one with --institution':
    '{pathname} é um caminho de {names}: escolha uma com --institution',
  'no clients; create one with: {command} clients create': 'nenhum cliente; crie um com: {command} clients create',
  'warning: {warning}': 'aviso: {warning}',
  '{question} There is no terminal for an answer: add --yes': '{question} Não há terminal para uma resposta: use --yes',
  'no consumers; the first batch of a consumer creates it':
    'nenhum consumidor; o primeiro lote de um consumidor o cria',
  'give either --position or --time': 'informe --position ou --time, não as duas',
  'the gateway that answers at {path} owns another database, {file}, not {own}: give each node a folder of its own (node.folder), and restart the gateway after a change of storage.url':
    'o gateway que responde em {path} tem outro banco de dados, {file}, não {own}: dê a cada nó uma pasta própria (node.folder), e reinicie o gateway depois de alterar storage.url',
  'the gateway that answers at {path} owns another database, {file}, not {own}: put each database into its own folder (storage.url)':
    'o gateway que responde em {path} tem outro banco de dados, {file}, não {own}: coloque cada banco de dados na sua própria pasta (storage.url)',
  'no permission for {path}: {advice}': 'sem permissão para {path}: {advice}',
  'no gateway answers at {path}: {error}': 'nenhum gateway responde em {path}: {error}',
  'no deliveries': 'nenhuma entrega',
  'no destinations; create one with: {command} destinations create URL':
    'nenhum destino; crie um com: {command} destinations create URL',
  'no destinations': 'nenhum destino',
  'nothing to change: give a setting, such as --url or --timeout':
    'nada a alterar: informe uma configuração, por exemplo --url ou --timeout',
  '--reset {option} contradicts --{option}: leave one of them out':
    '--reset {option} contradiz --{option}: retire uma das duas',
  '--header "{text}" is not a header: write it as "name: value"':
    '--header "{text}" não é um cabeçalho: escreva-o como "nome: valor"',
  'retention has just removed the event {id}': 'a retenção acabou de remover o evento {id}',
  'no events': 'nenhum evento',
  'no event has all of these words': 'nenhum evento tem todas estas palavras',
  'one event is not in the search index yet, the oldest for {seconds} s: the gateway adds them while it runs ("{command} events list" shows them)':
    'um evento ainda não está no índice de busca há {seconds} s: o gateway o inclui enquanto está em execução ("{command} events list" o mostra)',
  'the search index is being made again: what it holds of older events is out of date until then':
    'o índice de busca está sendo refeito: até lá, o que ele tem de eventos mais antigos está desatualizado',
  '{count} events are not in the search index yet, the oldest for {seconds} s: the gateway adds them while it runs ("{command} events list" shows them)':
    '{count} eventos ainda não estão no índice de busca, o mais antigo há {seconds} s: o gateway os inclui enquanto está em execução ("{command} events list" os mostra)',
  'the configuration leaves out of the search: {names} (search: off)':
    'a configuração exclui da busca: {names} (search: off)',
  'these values make no valid configuration, and nothing was written: correct them':
    'com estes valores a configuração não é válida, e nada foi gravado: corrija-os',
  '{folder} cannot be created ({error}): name a folder that this user may write to, or run this as root':
    '{folder} não pode ser criada ({error}): informe uma pasta em que este usuário possa gravar, ou execute como root',
  'name the folder to write, such as /etc/portaria': 'informe a pasta a gravar, por exemplo /etc/portaria',
  '{names} exist already, and nothing is overwritten: name another folder, or move them away':
    '{names} já existem, e nada é sobrescrito: informe outra pasta, ou mova-os',
  '{names} exists already, and nothing is overwritten: name another folder, or move them away':
    '{names} já existe, e nada é sobrescrito: informe outra pasta, ou mova-o',
  '--host-name DNS is required without a terminal: init --help lists all options':
    'sem terminal, --host-name DNS é obrigatório: init --help lista todas as opções',
  '"{text}": answer yes or no': '"{text}": responda sim ou não',
  '"{text}" is not a port: give a number from 1 to 65535': '"{text}" não é uma porta: informe um número de 1 a 65535',
  'there is no kind "{kind}": known are {names}': 'não existe o tipo "{kind}": existem {names}',
  'there is no institution "{name}": the configuration names none':
    'não existe a instituição "{name}": a configuração não tem nenhuma',
  'there is no institution "{name}"; did you mean "{other}"?':
    'não existe a instituição "{name}"; você quis dizer "{other}"?',
  '{message}. Begin elsewhere with --from start or --from latest':
    '{message}. Comece em outro lugar com --from start ou --from latest',
  '{message}. The client of the profile needs the scope events.read':
    '{message}. O cliente do perfil precisa do escopo events.read',
  '--forward-to "{text}" is no address: give http://localhost:PORT/PATH, or KIND=URL':
    '--forward-to "{text}" não é um endereço: informe http://localhost:PORTA/CAMINHO, ou TIPO=URL',
  '--forward-to gives all kinds twice: leave one of them out':
    '--forward-to indica todos os tipos duas vezes: retire uma delas',
  '--forward-to gives {kind} twice: leave one of them out': '--forward-to indica {kind} duas vezes: retire uma delas',
  '--kind {one} has no address: give --forward-to {one}=URL':
    '--kind {one} não tem endereço: informe --forward-to {one}=URL',
  'It must be 1 to {most} seconds.': 'Deve ser de 1 a {most} segundos.',
  'events of {address} go to {names}, signed with the secret in {file}':
    'eventos de {address} vão para {names}, assinados com o segredo em {file}',
  '{file} has no signing secret: it must be {form}': '{file} não tem segredo de assinatura: deve ser {form}',
  '--file {file} cannot be read: {error}': '--file {file} não pode ser lido: {error}',
  '{program} {problem}; --file names another source': '{program} {problem}; --file indica outra fonte',
  'no nodes: one process alone uses an SQLite database':
    'nenhum nó: um banco de dados SQLite é usado por um só processo',
  'It must be a whole number of at least 1.': 'Deve ser um número inteiro a partir de 1.',
  'the configuration is {file}: {option} names it': 'a configuração é {file}: {option} a indica',
  'the configuration is {file}: neither --config nor PORTARIA_CONFIG names another':
    'a configuração é {file}: nem --config nem PORTARIA_CONFIG indicam outra',
  'It must be production (producao), sandbox (homologacao) or any.':
    'Deve ser production (producao), sandbox (homologacao) ou any.',
  'Delete the destination {name} and cancel its pending deliveries?':
    'Excluir o destino {name} e cancelar as suas entregas pendentes?',
  'The database is to be replaced by a backup.': 'O banco de dados seria substituído por um backup.',
  'It must be production (producao) or sandbox (homologacao).':
    'Deve ser production (producao) ou sandbox (homologacao).',
  'a program ended': 'um programa terminou',
  '{message}\n"portaria playground --any-ports" takes free ports instead':
    '{message}\n"portaria playground --any-ports" usa portas livres',
  'cannot use the folder {folder}: {error}; choose another --folder':
    'a pasta {folder} não pode ser usada: {error}; escolha outra com --folder',
  '{file} is the configuration of another gateway: choose another --folder':
    '{file} é a configuração de outro gateway: escolha outra com --folder',
  '--timeout "{text}" is not a time: give seconds, at most {most}':
    '--timeout "{text}" não é um tempo: informe segundos, no máximo {most}',
  'the service appends {one} itself: register the URL without {one}':
    'o próprio serviço acrescenta {one}: cadastre a URL sem {one}',
  '--ca and --insecure exclude each other: leave one of them out':
    '--ca e --insecure não podem ser usadas juntas: retire uma delas',
  '"{text}" is not a URL: give https://HOST:PORT/PATH': '"{text}" não é uma URL: informe https://HOST:PORTA/CAMINHO',
  'the URL begins with {protocol} and the service calls https: only: give https://HOST:PORT/PATH':
    'a URL começa com {protocol} e o serviço só chama https: informe https://HOST:PORTA/CAMINHO',
  'the URL holds a user name or password, and the service sends none: leave it out':
    'a URL contém nome de usuário ou senha, e o serviço não os envia: retire-os',
  '{words}: {done} s of at most {limit} s': '{words}: {done} s de no máximo {limit} s',
  'nothing in quarantine': 'nada em quarentena',
  'no refusals': 'nenhuma recusa',
  'Known are {names}.': 'São aceitos {names}.',
  'no gateway runs with the database {database}: start it. A changed storage.url needs a restart':
    'nenhum gateway está em execução com o banco de dados {database}: inicie-o. Uma alteração de storage.url exige reinício',
  'no gateway runs with the database {database}: start it. A changed storage.url or node.folder needs a restart':
    'nenhum gateway está em execução com o banco de dados {database}: inicie-o. Uma alteração de storage.url ou node.folder exige reinício',
  'the running gateway is older than this command: restart it, or send it SIGHUP and read its log':
    'o gateway em execução é mais antigo que este comando: reinicie-o, ou envie-lhe SIGHUP e leia o log',
  '{api} gives no token: {error}': '{api} não fornece um token: {error}',
  '{api} answers HTTP {status}, and not as a gateway does: check the address':
    '{api} responde HTTP {status}, e não como um gateway: verifique o endereço',
  'no gateway answers at {api}: {error}': 'nenhum gateway responde em {api}: {error}',
  '--api needs --token-file with a bearer token, or save the credentials of a client with "{command} login URL"':
    '--api precisa de --token-file com um token de portador (bearer); ou salve as credenciais de um cliente com "{command} login URL"',
  '{names} belong together: give both': '{names} só valem juntas: informe as duas',
  '{option} {file} must hold the secret alone, in visible characters of ASCII':
    '{option} {file} deve conter só o segredo, em caracteres visíveis de ASCII',
  '"{text}" is no address of an API: give https://HOST:PORT':
    '"{text}" não é o endereço de uma API: informe https://HOST:PORTA',
  'the address holds a password: leave it out': 'o endereço contém uma senha: retire-a',
  '{origin} has no TLS, and the token would cross the network readable: give an https address':
    '{origin} não usa TLS, e o token passaria legível pela rede: informe um endereço https',
  'give the base address of the API, https://HOST:PORT': 'informe o endereço base da API, https://HOST:PORTA',
  '--token-file is in place of --client-id: leave one of them out':
    '--token-file vale no lugar de --client-id: retire uma das duas',
  'give --client-id and --client-secret-file of a client ("{command} clients create" makes one on the gateway\'s machine), --token-file, or --device for a person':
    'informe --client-id e --client-secret-file de um cliente ("{command} clients create" cria um na máquina do gateway), --token-file, ou --device para uma pessoa',
  '"{name}" is no name of a profile: use letters, digits, -, _ and .':
    '"{name}" não é nome de um perfil: use letras, dígitos, -, _ e .',
  'the profile cannot be written to {file}: {error}': 'o perfil não pode ser gravado em {file}: {error}',
  'no replays': 'nenhum reenvio',
  '{id}: {created} of {matched} deliveries created, {waiting} waiting':
    '{id}: {created} de {matched} entregas criadas, {waiting} à espera',
  'the gateway is starting or stopping: try again': 'o gateway está iniciando ou parando: tente de novo',
  'non-breaking spaces': 'espaços não separáveis',
  'spaces that are none in YAML': 'espaços que o YAML não conhece',
  'characters without width': 'caracteres sem largura',
  'typographic quotes': 'aspas tipográficas',
  'institution is missing: the configuration has {names}': 'falta institution: a configuração tem {names}',
  'the destination is not valid': 'o destino não é válido',
  '{id} is no delivery: give an id such as dlv_1': '{id} não é uma entrega: informe um ID como dlv_1',
  'two kinds could match one path: give each a path of its own':
    'dois tipos poderiam corresponder ao mesmo caminho: dê a cada um o seu',
  'the secret must be "whsec_" followed by the base64 of 24 to 64 bytes: make one with `openssl rand -base64 32` and put whsec_ before it':
    'o segredo deve ser "whsec_" seguido do base64 de 24 a 64 bytes: crie um com `openssl rand -base64 32` e coloque whsec_ na frente',
  '{url}: {message}; correct the URL, or the name in DNS': '{url}: {message}; corrija a URL, ou o nome no DNS',
  'the URL {words}': 'a URL {words}',
  '{file} has no route for the kind {kind} (it has {names}): give the address with --to':
    '{file} não tem rota para o tipo {kind} (tem {names}): informe o endereço com --to',
  '{section}.port is 0, so that its port is unknown: give --to':
    '{section}.port é 0, e por isso a porta é desconhecida: use --to',
  'the database is {database}: {instead}': 'o banco de dados é {database}: {instead}',
  '--config is given as {files}: give one of them':
    '--config foi informada mais de uma vez ({files}): escolha um arquivo',
  '{option} is a gateway of another machine, and --config one of this machine: leave one of them out':
    '{option} indica um gateway de outra máquina, e --config um desta máquina: retire uma das duas',
  'two sockets are named {name}: write one ListenStream= into the socket unit of each listener':
    'dois sockets se chamam {name}: escreva um ListenStream= na unit de socket de cada listener',
  'no gateway answers at {api}: {error}; {advice}': 'nenhum gateway responde em {api}: {error}; {advice}',
  'perhaps it refuses this client certificate: its issuer must be in api.clientCa of the gateway':
    'talvez ele recuse este certificado de cliente: o emissor dele precisa estar em api.clientCa do gateway',
  '{variable} is set, but no proxy of the environment is used: connect without it':
    '{variable} está definida, mas nenhum proxy do ambiente é usado: conecte sem ele',
  'perhaps it wants a client certificate (--api-cert and --api-key, or --cert and --key of login)':
    'talvez ele exija um certificado de cliente (--api-cert e --api-key, ou --cert e --key de login)',
  'name the authorities of its certificate (--api-ca, or --ca of login)':
    'informe as autoridades do certificado dele (--api-ca, ou --ca de login)',
  'this command asks no gateway, and {option} names one: leave {other} out':
    'este comando não consulta nenhum gateway, e {option} indica um: retire {other}',
  'error: --from {from} is not before --to {to}, and --to is not included':
    'erro: --from {from} não é antes de --to {to}, e --to não está incluído',
  'It must be a port up to {most}.': 'Deve ser uma porta até {most}.',
}
