import { type FindingWords, REASON_FINDINGS } from './reason-findings.ts'

const OPERATOR = 'O operador, na máquina do gateway,'
const INSTALL = `${OPERATOR} instala um certificado válido para esse lugar.`
const RENEW = `${OPERATOR} o renova e instala o novo.`
const CHAINS = `${OPERATOR} instala a cadeia atual do serviço; a página Certificados compara uma cadeia antes.`
const RESTART = `${OPERATOR} verifica o log e, se a configuração mudou, reinicia o gateway.`
const CORRECT_FILE = `${OPERATOR} corrige o arquivo de configuração e recarrega o gateway.`
const CLIENT_FILES = `${OPERATOR} corrige as credenciais do serviço na configuração; até lá o serviço não é consultado.`
const SERVER = 'Quem cuida do servidor que recebe os callbacks o corrige.'
const PERMISSIONS = `${OPERATOR} corrige as permissões do arquivo ou da pasta.`
const DATABASE = `${OPERATOR} corrige o banco de dados ou restaura um backup.`

/** For all findings of a code. The values of each are in the report. */
export const FINDINGS: Readonly<Record<string, FindingWords>> = {
  ...REASON_FINDINGS,
  'configuration.invalid': {
    found: 'A configuração tem um erro: o gateway não inicia com ela.',
    nextStep: CORRECT_FILE,
  },
  'secrets.unusable': {
    found: 'Um arquivo de segredo não pode ser usado.',
    nextStep: `${OPERATOR} o corrige; até lá o gateway não inicia e recarregar não muda nada.`,
  },
  'secrets.not_checked': {
    found: 'Um segredo entregue pelo systemd não foi verificado.',
    nextStep: `${OPERATOR} inicia o serviço, que carrega o segredo.`,
  },
  'mode.development': {
    found: 'O modo é de desenvolvimento: certificados e token do operador que faltam são criados no início.',
    nextStep: `Em um servidor, ${OPERATOR.toLowerCase()} escreve mode: production.`,
  },
  'configuration.not_loaded': {
    found: 'O gateway em execução não usa o arquivo de configuração como ele está agora.',
    nextStep: `${OPERATOR} recarrega a configuração.`,
  },
  'listener.proxy_everybody': {
    found: 'proxyProtocol confia em todos os endereços: qualquer chamador pode alegar qualquer endereço.',
    nextStep: `${OPERATOR} escreve em proxyProtocol só os endereços dos balanceadores.`,
  },
  'charges.off': {
    found: 'O listener de cobranças está desligado, embora haja um tipo de cobranças.',
    nextStep: `${OPERATOR} inclui chargeNotifications na configuração ou remove o tipo.`,
  },
  'charges.without_tls': {
    found: 'O listener de cobranças usa http sem TLS: o token do caminho pode ser lido na rede.',
    nextStep: `${OPERATOR} inclui chargeNotifications.certificate e privateKey.`,
  },
  'charges.path_tokens': {
    found: 'Callbacks são aceitos sem certificado de cliente: o chamador prova apenas que conhece o segredo da URL.',
    nextStep: `${OPERATOR} remove chargeNotifications.pathTokens onde o serviço usa TLS mútuo, ou limita allowedAddresses e aceita este resultado.`,
  },
  'accounts.any': {
    found: 'Pagamentos de qualquer conta são aceitos: outro cliente da instituição pode cadastrar a sua URL.',
    nextStep: `${OPERATOR} informa as suas contas ou chaves em accounts.allow do tipo e reinicia o gateway.`,
  },
  'alarms.file_unusable': {
    found: 'Um arquivo de um canal de alarmes não pode ser usado: por ele nada é enviado.',
    nextStep: `${OPERATOR} corrige o arquivo ou o seu caminho na seção alarms da configuração.`,
  },
  'oidc.unreachable': {
    found: 'O provedor OpenID de api.oidc não responde com os seus metadados.',
    nextStep: `Até que responda, as pessoas entram com o ID e o segredo de um cliente. ${OPERATOR} compara issuer com o nome que o provedor usa, e authorities com a AC dele.`,
  },
  'oidc.logout_certificate': {
    found: 'O provedor OpenID precisa de um certificado de cliente para encerrar sessões (/ui/oidc/logout).',
    nextStep: `${OPERATOR} dá ao provedor um certificado de uma AC de api.clientCa, ou escreve clientCertificates: optional. Sem isso, uma sessão só termina quando o provedor recusa uma renovação.`,
  },
  'node.outdated': {
    found: 'Faltam correções de segurança à versão do Node.js.',
    nextStep: `${OPERATOR} atualiza o Node.js.`,
  },
  'node.unneeded_fixes': {
    found: 'Faltam correções à versão do Node.js, todas em partes que o Portaria não usa.',
    nextStep: 'Nada precisa ser feito.',
  },
  'file.mode': { found: 'Um arquivo pode ser lido por outros usuários da máquina.', nextStep: PERMISSIONS },
  'file.owner': { found: 'Um arquivo pertence a outro usuário.', nextStep: PERMISSIONS },
  'file.unreadable': { found: 'Um arquivo não pode ser lido.', nextStep: PERMISSIONS },
  'file.writable': { found: 'Um arquivo pode ser alterado por outros usuários da máquina.', nextStep: PERMISSIONS },
  'folder.writable': { found: 'Uma pasta pode ser alterada por outros usuários da máquina.', nextStep: PERMISSIONS },
  'operator_token.unusable': {
    found: 'O token do operador não pode ser usado.',
    nextStep: `${OPERATOR} corrige o arquivo de api.operatorTokenFile.`,
  },
  'database.mode': { found: 'O banco de dados pode ser lido por outros usuários da máquina.', nextStep: PERMISSIONS },
  'database.folder': {
    found: 'A pasta do banco de dados não existe, e o usuário do gateway não pode criá-la.',
    nextStep: `${OPERATOR} cria a pasta com o usuário do gateway como dono.`,
  },
  'certificate.unusable': { found: 'O certificado ou a chave não pode ser usado.', nextStep: INSTALL },
  'certificate.missing': {
    found: 'O certificado ainda não existe.',
    nextStep: `${OPERATOR} inicia o gateway uma vez: em desenvolvimento ele cria um.`,
  },
  'certificate.expired': { found: 'O certificado venceu.', nextStep: RENEW },
  'certificate.urgent': { found: 'O certificado vence em poucos dias.', nextStep: RENEW },
  'certificate.expiring': { found: 'O certificado vence em breve.', nextStep: RENEW },
  'certificate.not_renewed': {
    found: 'O certificado vence em breve, e nada o renova.',
    nextStep: RENEW,
  },
  'certificate.authority': {
    found: 'O certificado não é de uma autoridade em que os chamadores confiam.',
    nextStep: `${OPERATOR} obtém um de uma autoridade pública e o instala.`,
  },
  'certificate.incomplete': {
    found: 'Falta um certificado intermediário na cadeia.',
    nextStep: `${OPERATOR} instala o certificado com o intermediário.`,
  },
  'certificate.usage': {
    found: 'O certificado não serve para este uso, ou deixará de servir.',
    nextStep: `${OPERATOR} obtém um com esse uso e o instala.`,
  },
  'certificate.names': {
    found: 'O certificado não vale para o nome do host.',
    nextStep: `${OPERATOR} obtém um para esse nome e o instala.`,
  },
  'client_ca.unusable': {
    found: 'As autoridades dos clientes da API não podem ser usadas.',
    nextStep: `${OPERATOR} corrige os arquivos de api.clientCa e api.clientCrl.`,
  },
  'client_ca.dates': {
    found: 'Uma autoridade dos clientes da API venceu ou ainda não vale.',
    nextStep: `${OPERATOR} coloca as atuais no arquivo.`,
  },
  'authority.unusable': {
    found: 'A autoridade própria não pode renovar os certificados do gateway.',
    nextStep: `${OPERATOR} corrige a pasta dela; o log do gateway diz o motivo (authority.not_renewed).`,
  },
  'trust.unusable': { found: 'As cadeias do serviço não podem ser usadas.', nextStep: CHAINS },
  'trust.missing': {
    found: 'Ainda não há cadeia do serviço.',
    nextStep: `${OPERATOR} inicia o gateway uma vez: em desenvolvimento ele cria uma.`,
  },
  'trust.remark': { found: 'Há uma observação sobre uma cadeia do serviço.', nextStep: CHAINS },
  'trust.test_ca': {
    found: 'Uma autoridade de testes é aceita: as suas chaves estão em máquinas de desenvolvedores.',
    nextStep: `${OPERATOR} a remove e instala a cadeia do serviço.`,
  },
  'trust.caller_usage': {
    found: 'Uma cadeia só emite certificados de servidor: os seus chamadores são recusados.',
    nextStep: `Se o serviço chama com ela, ${OPERATOR.toLowerCase()} escreve usage: any e diz em allow quem é o serviço.`,
  },
  'trust.refused_usage': {
    found: 'Nos últimos 7 dias um chamador de uma cadeia instalada foi recusado pelo uso do seu certificado.',
    nextStep: `Se é o serviço, ${OPERATOR.toLowerCase()} escreve usage: any e diz em allow quem é o serviço.`,
  },
  'trust.revocation_list': {
    found: 'Uma lista de revogação está vencida.',
    nextStep: `${OPERATOR} coloca no arquivo a lista atual da autoridade; o gateway a lê sozinho.`,
  },
  'database.unusable': { found: 'O banco de dados não pode ser usado.', nextStep: DATABASE },
  'database.missing': {
    found: 'O banco de dados ainda não existe.',
    nextStep: `${OPERATOR} inicia o gateway, que o cria.`,
  },
  'database.replaced': {
    found: 'O gateway em execução usa um arquivo que foi removido ou trocado.',
    nextStep: `${OPERATOR} verifica store.lost no log: o gateway termina e salva o que pode.`,
  },
  'database.settings': {
    found: 'Uma configuração do PostgreSQL pode perder o que já foi confirmado.',
    nextStep: `${OPERATOR} restaura o valor padrão e recarrega o PostgreSQL.`,
  },
  'database.standby': {
    found: 'Não há réplica síncrona: a troca para outro servidor pode perder callbacks.',
    nextStep: `${OPERATOR} configura uma, se precisar dela.`,
  },
  'database.superuser': {
    found: 'O gateway usa o banco de dados como superusuário.',
    nextStep: `${OPERATOR} cria um usuário só com os privilégios necessários.`,
  },
  'database.public': {
    found: 'Qualquer usuário do servidor pode se conectar ao banco de dados e enviar avisos aos nós.',
    nextStep: `${OPERATOR} retira de PUBLIC o privilégio de se conectar e o concede ao usuário do gateway.`,
  },
  'database.rights': {
    found: 'Faltam privilégios no banco de dados.',
    nextStep: `${OPERATOR} concede os privilégios ao usuário do gateway.`,
  },
  'integrity.damaged': { found: 'O banco de dados está danificado.', nextStep: DATABASE },
  'integrity.unfinished': {
    found: 'A verificação da integridade não terminou no tempo dado.',
    nextStep: `${OPERATOR} executa a verificação com mais tempo.`,
  },
  search_behind: {
    found: 'A busca está atrasada.',
    nextStep: `Aguarde; se o atraso não diminuir, ${OPERATOR.toLowerCase()} procura eventos search no log.`,
  },
  'space.unknown': {
    found: 'O espaço livre no disco é desconhecido.',
    nextStep: `${OPERATOR} o verifica.`,
  },
  space_short: {
    found: 'Há pouco espaço livre no disco.',
    nextStep: `${OPERATOR} libera espaço ou diminui storage.retention.`,
  },
  space_out: {
    found: 'O disco está quase cheio: novos callbacks são recusados (503).',
    nextStep: `${OPERATOR} libera espaço agora.`,
  },
  'nodes.differ': {
    found: 'Este nó não é igual aos outros.',
    nextStep: `${OPERATOR} iguala os arquivos aos dos outros nós e recarrega o gateway.`,
  },
  'nodes.name_shared': {
    found: 'Vários nós ativos têm este nome.',
    nextStep: `${OPERATOR} define node.name em cada um e o reinicia.`,
  },
  'nodes.silent': {
    found: 'Este nó está em silêncio: outros enviam no lugar dele.',
    nextStep: `${OPERATOR} o inicia; um nó que não volta é esquecido depois de 30 dias.`,
  },
  'clock.behind': {
    found: 'O relógio está atrasado em relação a fatos conhecidos.',
    nextStep: `${OPERATOR} acerta o relógio e o mantém certo com um serviço de horário.`,
  },
  clock_implausible: {
    found: 'O relógio parece muito adiantado.',
    nextStep: `${OPERATOR} acerta o relógio ou confirma que está certo.`,
  },
  'clock.differs': {
    found: 'O relógio desta máquina difere do de outro sistema.',
    nextStep: `${OPERATOR} acerta o relógio e o mantém certo com um serviço de horário.`,
  },
  'gateway.unreachable': { found: 'O gateway em execução não responde à verificação.', nextStep: RESTART },
  'gateway.older': {
    found: 'O gateway em execução é mais antigo que o programa instalado.',
    nextStep: `${OPERATOR} reinicia o gateway.`,
  },
  'listener.unavailable': {
    found: 'O endereço ou a porta não pode ser aberto.',
    nextStep: `${OPERATOR} escolhe outro endereço ou outra porta, ou encerra o programa que a usa.`,
  },
  'listener.any_port': {
    found: 'O listener usa qualquer porta livre.',
    nextStep: `${OPERATOR} escreve uma porta fixa.`,
  },
  'listener.silent': { found: 'O gateway está em execução, mas este listener não responde.', nextStep: RESTART },
  'listener.other_certificate': {
    found: 'O listener apresenta outro certificado que não o configurado.',
    nextStep: `${OPERATOR} recarrega ou reinicia o gateway, ou descobre que programa usa a porta.`,
  },
  'listener.open': {
    found: 'O listener aceita um chamador sem certificado.',
    nextStep: `${OPERATOR} reinicia o gateway; se não bastar, descobre que programa usa a porta.`,
  },
  callbacks_refused: {
    found: 'Callbacks de chamadores identificados foram recusados nas últimas 24 horas.',
    nextStep:
      'A página Recusas mostra os chamadores; corrija no serviço a URL cadastrada, ou o operador corrige as rotas.',
  },
  not_ready: { found: 'O gateway responde, mas não está pronto.', nextStep: RESTART },
  'api.foreign': {
    found: 'Outro programa responde no lugar da API.',
    nextStep: `${OPERATOR} descobre que programa usa a porta e reinicia o gateway.`,
  },
  'open_files.too_few': {
    found: 'O limite de arquivos abertos é baixo demais.',
    nextStep: `${OPERATOR} aumenta o limite e reinicia o gateway.`,
  },
  'open_files.lowered': {
    found: 'O gateway reduziu os seus limites por causa do limite de arquivos abertos.',
    nextStep: `${OPERATOR} aumenta o limite e reinicia o gateway.`,
  },
  'forwarding.none': {
    found:
      'Depois do seu primeiro fato, a instalação não encaminha nada, e não tem consumidor nem cliente que consulte os eventos.',
    nextStep: 'Crie um destino na página Destinos, ou crie um cliente para um aplicativo que consulta os eventos.',
  },
  destination_paused: {
    found: 'O destino está pausado.',
    nextStep: 'Retome-o na página do destino quando ele puder receber entregas.',
  },
  'destination.unreachable': {
    found: 'Não é possível conectar-se ao destino.',
    nextStep: 'Corrija a URL do destino, ou peça a quem o opera que o conserte: as entregas esperam e são repetidas.',
  },
  'destination.silent': {
    found: 'O destino aceita conexões, mas não respondeu.',
    nextStep: 'Envie um evento de teste na página do destino para testar uma entrega inteira.',
  },
  'destination.client_certificate': {
    found: 'O certificado de cliente do gateway não pode ser usado.',
    nextStep: INSTALL,
  },
  'destination.institution': {
    found: 'O destino não recebe eventos: nenhum tipo configurado combina com as suas instituições ou tipos.',
    nextStep: 'Corrija as instituições ou os tipos na página do destino.',
  },
  'service.public_url': {
    found: 'Falta publicUrl: o endereço pelo qual o serviço alcança o gateway.',
    nextStep: CORRECT_FILE,
  },
  'service.environment': {
    found: 'Um valor é igual nos dois ambientes: um deles consulta o ambiente errado.',
    nextStep: `${OPERATOR} escreve o de cada ambiente, como o serviço o informou.`,
  },
  'service.chain': {
    found: 'A configuração não tem cadeia para este ambiente: os callbacks dele são recusados.',
    nextStep: CHAINS,
  },
  'service.tokens': {
    found:
      'resolveTokens está ligado, mas nenhuma notificação de cobrança chega: falta o tipo charge, o listener de cobranças ou um token do ambiente.',
    nextStep: CORRECT_FILE,
  },
  tokens_many: {
    found: 'Há muitos tokens de cobrança em espera.',
    nextStep: `Se o serviço responde, ${OPERATOR.toLowerCase()} troca o token do caminho do listener de cobranças ou limita allowedAddresses.`,
  },
  'service.address': { found: 'O endereço do serviço não pode ser usado.', nextStep: CORRECT_FILE },
  'service.secret_unusable': { found: 'O segredo do cliente do serviço não pode ser usado.', nextStep: CLIENT_FILES },
  'service.certificate_unusable': { found: 'O certificado para o serviço não pode ser usado.', nextStep: CLIENT_FILES },
  'service.certificate_usage': {
    found: 'O certificado para o serviço não serve como certificado de cliente.',
    nextStep: CLIENT_FILES,
  },
  'service.authorities_unusable': { found: 'As autoridades do serviço não podem ser usadas.', nextStep: CLIENT_FILES },
  'service.credentials_refused': { found: 'O serviço recusou as credenciais.', nextStep: CLIENT_FILES },
  'service.certificate_refused': { found: 'O serviço recusou o certificado.', nextStep: CLIENT_FILES },
  'service.unreachable': {
    found: 'O serviço está inacessível.',
    nextStep: 'Tente de novo mais tarde; callbacks continuam sendo recebidos e encaminhados.',
  },
  outage: {
    found: 'Houve um tempo em que callbacks podem não ter sido aceitos.',
    nextStep: 'A página Lacunas mostra o que faltou e pergunta ao serviço o que mudou.',
  },
  'outside.unreachable': { found: 'O endereço público está inacessível.', nextStep: SERVER },
  'outside.request': {
    found: 'Uma requisição de teste, como as do serviço, não teve a resposta esperada.',
    nextStep: `${SERVER} Até lá o serviço recusa o cadastro da URL.`,
  },
  'outside.untrusted_accepted': {
    found: 'Um certificado em que nenhum servidor deve confiar foi aceito.',
    nextStep: `${SERVER} Ele deve verificar certificados de cliente com as cadeias do serviço.`,
  },
  'outside.not_tried': { found: 'Um teste não pôde ser feito.', nextStep: 'Resolva os outros resultados e repita.' },
  'outside.old_tls': {
    found: 'O servidor aceita versões antigas de TLS.',
    nextStep: `${SERVER} Ele deve aceitar só TLS 1.2 e 1.3.`,
  },
  'outside.redirect': {
    found: 'O servidor responde com um redirecionamento, que o serviço não segue.',
    nextStep: SERVER,
  },
  'outside.path': { found: 'O caminho da URL não é o de um tipo configurado.', nextStep: CORRECT_FILE },
  'outside.suffix': {
    found: 'Com o sufixo que o serviço acrescenta, a URL não é respondida como sem ele.',
    nextStep: 'Cadastre no serviço a URL sem o sufixo; um proxy à frente deve repassar todos os caminhos abaixo dela.',
  },
  'outside.certificate': {
    found: 'O certificado do endereço público não pôde ser lido ou não é o do gateway.',
    nextStep:
      'O que está à frente do gateway deve repassar o TCP sem terminar o TLS, para que os certificados de cliente cheguem ao gateway.',
  },
  'outside.name': { found: 'O certificado não vale para o nome do endereço público.', nextStep: SERVER },
  'outside.sni': {
    found: 'Sem o nome do host (SNI) o servidor envia outro certificado ou outra cadeia.',
    nextStep: 'O certificado deve ser o padrão do endereço: alguns chamadores não enviam o nome.',
  },
}
