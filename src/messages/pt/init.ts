import { COMMAND } from '../../platform/installation.ts'
import type { Texts } from '../translator.ts'

/** The comments of the configuration that `portaria init` writes, line by line. */
export const CONFIGURATION_COMMENTS: Texts = {
  'Portaria for {host}. Written by "portaria init"; change it as you like.':
    'Portaria para {host}. Criado por "portaria init"; altere-o como quiser.',
  'Other keys have their defaults: config/portaria.yaml explains every key. Paths are relative to this file.':
    'As outras chaves têm os valores padrão: config/portaria.yaml explica cada uma. Os caminhos são relativos a este arquivo.',
  'After every change: {command}': 'Depois de cada mudança: {command}',
  'The callback listener, with mutual TLS.': 'O listener de callbacks, com TLS mútuo.',
  'The beginning of the URLs that the service calls.': 'O começo das URLs que o serviço chama.',
  'The certificate for {host} with its full chain, and its key; NEXT-STEPS.md has the commands.':
    'O certificado de {host} com a cadeia completa, e a chave; NEXT-STEPS.md tem os comandos.',
  'Callers to accept: the chain that the service publishes for each environment, up to its root.':
    'Chamadores aceitos: a cadeia que o serviço publica para cada ambiente, até a raiz.',
  'The kinds of callbacks, each with the path that you register for it.':
    'Os tipos de callbacks, cada um com o caminho que você cadastra para ele.',
  'Any customer of the same institution may register your URL. Name your accounts or keys: payments about others go to quarantine.':
    'Outro cliente da mesma instituição pode cadastrar a sua URL. Informe as suas contas ou chaves: pagamentos de outras vão para a quarentena.',
  'config/portaria.yaml explains the pointers. Once payments come without this key, the check warns.':
    'config/portaria.yaml explica os ponteiros. Quando pagamentos chegam sem esta chave, a verificação avisa.',
  'URL at which the service publishes it, for "portaria certs trust fetch".':
    'URL em que o serviço a publica, para "portaria certs trust fetch".',
  'Institutions with an account of yours, each with its own chains and kinds. config/portaria.yaml has their other keys.':
    'Instituições em que você tem conta, cada uma com as suas cadeias e os seus tipos. config/portaria.yaml tem as outras chaves.',
  'The kinds and the answer, from config/institutions/{preset}.yaml of the program.':
    'Os tipos e a resposta vêm de config/institutions/{preset}.yaml do programa.',
  'The charge listener: charge callbacks come without a client certificate, with a token in the path.':
    'O listener de cobranças: os callbacks de cobrança chegam sem certificado de cliente, com um token no caminho.',
  '"portaria init --charge-port" writes this section; config/portaria.yaml explains it.':
    '"portaria init --charge-port" escreve esta seção; config/portaria.yaml a explica.',
  'The private API, on this machine only. On an address other than loopback it needs certificate and privateKey.':
    'A API privada, só nesta máquina. Em um endereço que não seja loopback, ela precisa de certificate e privateKey.',
  'The private API, for the machine and the containers that reach this one: publish its port on loopback only.':
    'A API privada, para a máquina e os contêineres que alcançam este: publique a porta dela só em loopback.',
  'The operator token permits everything.': 'O token do operador permite tudo.',
  'Keep it on a local disk.': 'Mantenha-o em um disco local.',
  'With PostgreSQL the control socket of the commands is here.':
    'Com PostgreSQL, o socket de controle dos comandos fica aqui.',
  'Private networks of your systems; without entries only public addresses are called, with https.':
    'Redes privadas dos seus sistemas; sem entradas, só endereços públicos são chamados, com https.',
  '"loopback" is this machine, for receivers such as http://localhost:3000.':
    '"loopback" é esta máquina, para receptores como http://localhost:3000.',
  [`Your systems. You can also add them while Portaria runs: ${COMMAND} destinations create URL`]: `Os seus sistemas. Você também pode incluí-los com o Portaria em execução: ${COMMAND} destinations create URL`,
  [`The gateway as a client of the service: it registers the URLs of this file (${COMMAND} service webhooks create --help) and asks for the`]: `O gateway como cliente do serviço: ele cadastra as URLs deste arquivo (${COMMAND} service webhooks create --help) e consulta o`,
  'content of charge notifications that are only a token. Write the addresses and credentials that the service gave you, and remove the "#".':
    'conteúdo das notificações de cobrança que são só um token. Escreva os endereços e as credenciais que o serviço lhe deu, e remova o "#".',
  'A file with the client secret in one line.': 'Um arquivo com o segredo do cliente em uma linha.',
  'The certificate of your account. With a password add passwordFile; of a PEM file also name the privateKey.':
    'O certificado da sua conta. Com senha, inclua passwordFile; de um arquivo PEM, informe também privateKey.',
}

/** What `portaria init` asks on a terminal. */
export const QUESTIONS: Texts = {
  'DNS name under which the service calls this machine': 'Nome DNS pelo qual o serviço chama esta máquina',
  'Port for callbacks': 'Porta para callbacks',
  Environments: 'Ambientes',
  no: 'não',
  'Kinds of callbacks': 'Tipos de callbacks',
  'Other institutions, as NAME or NAME:PRESET ({presets})': 'Outras instituições, como NOME ou NOME:MODELO ({presets})',
  'Do the events go to a program on this machine, such as http://localhost:3000':
    'Os eventos vão para um programa nesta máquina, como http://localhost:3000',
}
