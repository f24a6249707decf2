import { FIXED_VERSIONS } from '../../platform/version.ts'
import type { Catalogue } from '../catalogue.ts'

/** What `config/institutions` says in English about the chain of each preset. */
const CHAINS: Readonly<Record<string, string>> = {
  'instant-payment':
    'a sua instituição (o PSP recebedor) fornece a cadeia dos callbacks dela, porque cada uma tem a sua',
  'open-finance':
    'as detentoras de conta apresentam certificados BRCAC da ICP-Brasil, cujos emissores o diretório de participantes e a ICP-Brasil publicam',
  service:
    'a instituição publica a cadeia de cada ambiente, e informa o endereço dela com a documentação dos seus callbacks',
}

export const NEXT_STEPS: Catalogue['nextSteps'] = {
  title: (host) => `Portaria para ${host}: o que você ainda precisa fornecer`,
  written: (config, dataFolder) =>
    `Foram criados: ${config}, o token do operador (secrets/operator-token) e as pastas certs, certs/trust, secrets e ${dataFolder}.`,
  configuration: 'Os comandos abaixo encontram a configuração por:',
  container: `Cada comando é executado em um contêiner da mesma imagem com os mesmos volumes, como "portaria init"; arquivos seus também precisam de um volume.
A configuração é encontrada sem a variável se estiver em /etc/portaria.`,
  certificate: (host) => `Um certificado para ${host}`,
  certbot: (host) =>
    `Com o certbot, que também o renova. A porta 80 de ${host} precisa chegar a esta máquina; o certbot também tem outras formas de comprovar o nome.`,
  hook: 'O hook instala cada certificado novo, e o gateway passa a usá-lo sozinho.',
  otherAuthority: 'Ou, com outra autoridade certificadora:',
  importIssued:
    'Envie server.csr à autoridade certificadora. Depois importe o certificado emitido e os intermediários, em qualquer ordem:',
  chains: 'As cadeias do serviço',
  chainsText:
    'Os certificados de AC dos chamadores, em PEM, até a raiz: o serviço publica uma cadeia para cada ambiente.',
  chainSource: (preset, source) => CHAINS[preset] ?? source,
  machine: 'A máquina',
  owner:
    'O usuário do gateway precisa ser o dono dos arquivos que ele lê e grava (como root; troque portaria por esse usuário):',
  reach: (port, host) => `Deixe o serviço chegar à porta ${port} de ${host}. Nada no caminho pode terminar o TLS.`,
  reachRedirected: (port, host, to) =>
    `Deixe o serviço chegar à porta ${port} de ${host}, redirecionada para a porta ${to} desta máquina. Nada no caminho pode terminar o TLS.`,
  node: (version) =>
    `O Portaria usa aqui o Node.js ${version}, ao qual faltam correções de segurança, e \`portaria check\` falha até ele ser atualizado:
instale o Node.js ${FIXED_VERSIONS.join(', ou ')}, ou um mais novo da mesma linha, no PATH do processo que inicia o Portaria
(/usr/local/bin, ou Environment=PATH=… na unit de um serviço), e reinicie: bin/portaria o prefere ao Node.js que veio com ele.`,
  start: 'Verifique, inicie, verifique de fora',
  secondTerminal:
    'O gateway ocupa este terminal. Abra um segundo para tudo o que segue, e defina PORTARIA_CONFIG nele como acima:',
  destination: 'Um destino: o sistema que recebe os eventos',
  destinationText: 'Sem um destino, os eventos são gravados e não encaminhados.',
  secret:
    '`create` mostra o segredo com o qual o seu sistema verifica as assinaturas, sobre os bytes originais do corpo.',
  localReceiver: `Para um sistema nesta máquina, como http://localhost:3000, escreva \`allowedNetworks: [loopback]\` em \`forwarding\`
na configuração e execute \`portaria reload\`.`,
  polling: 'Um aplicativo atrás de um firewall consulta ele mesmo os seus eventos: `portaria clients create --help`.',
  register: 'Cadastre as URLs no serviço',
  chargeAddress: (environment, url, tokenFile) =>
    `callbacks de cobranças, ${environment}: ${url}, com o token em ${tokenFile}`,
  registerAtInstitutions: 'Cadastre estas URLs nas instituições.',
  registerByGateway: (secretFile, certificateFile) =>
    `Estas URLs começam com \`publicUrl\` da configuração. Cadastre-as no serviço, ou deixe o gateway cadastrá-las:
preencha a seção \`service\` no fim da configuração. Ela precisa do segredo de cliente em ${secretFile} (modo 0600)
e do certificado da sua conta em ${certificateFile}. Depois:`,
  accounts: 'As suas contas',
  accountsText: `Qualquer cliente da mesma instituição pode cadastrar a sua URL: o certificado está certo, mas os pagamentos não são seus. Informe as suas contas ou chaves
na configuração (config/portaria.yaml mostra como) e reinicie. Pagamentos sobre outras vão então para a quarentena.`,
}
