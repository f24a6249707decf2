import type { AlarmFailureCode, FailureText } from '../../domain/alarms/failure.ts'

/** Why a channel did not send a message. The words of the receiver stay as they came. */
export const FAILURES: Readonly<Record<AlarmFailureCode, FailureText>> = {
  name_unknown: {
    text: 'o nome {words} não tem endereço',
    nextStep: 'corrija o host do canal ou o nome no DNS',
  },
  unreachable: {
    text: 'sem conexão ({words})',
    nextStep: 'corrija host e porta, inicie o receptor ou abra o firewall entre o gateway e ele',
  },
  proxy_not_used: {
    text: 'sem conexão ({words}); há um proxy definido no ambiente, e o gateway não usa nenhum',
    nextStep: 'abra o firewall entre o gateway e o receptor; ou use o canal command, cujo programa pode usar o proxy',
  },
  address_forbidden: {
    text: 'o gateway não envia nada a este endereço',
    nextStep: 'endereços de metadados de nuvem são recusados: corrija o endereço do canal',
  },
  timed_out: {
    text: 'sem resposta a tempo',
    nextStep: 'veja se o receptor está sobrecarregado ou se um firewall descarta a conexão',
  },
  certificate_untrusted: {
    text: 'o handshake TLS falhou: “{words}”',
    nextStep: 'indique a autoridade do servidor em smtp.authorities, corrija o host ou peça a renovação do certificado',
  },
  tls_refused: {
    text: 'o receptor encerrou o handshake TLS: {words}',
    nextStep: 'faça no receptor o que o texto diz ou corrija host e porta do canal; o log dele tem o motivo',
  },
  tls_missing: {
    text: 'o servidor de e-mail não oferece TLS',
    nextStep: 'ative STARTTLS nele ou use uma porta com TLS desde o início, como a 465',
  },
  tls_later: {
    text: 'o servidor de e-mail não usa TLS desde o início nesta porta',
    nextStep:
      'use a porta dele para TLS desde o início, em geral 465, ou a de STARTTLS, em geral 587, sem smtp.implicitTls',
  },
  greeting_missing: {
    text: 'o servidor de e-mail aceitou a conexão, mas não enviou a saudação a tempo',
    nextStep:
      'se ele usa TLS desde o início nesta porta, escreva smtp.implicitTls: true (só na porta 465 é o padrão); se não, veja se ele está sobrecarregado ou se um firewall segura a conexão',
  },
  login_refused: {
    text: 'o servidor de e-mail recusa usuário ou senha: “{words}”',
    nextStep: 'corrija o conteúdo de smtp.userFile e smtp.passwordFile',
  },
  recipient_refused: {
    text: 'o servidor de e-mail recusa remetente ou destinatário: “{words}”',
    nextStep: 'corrija from e email do canal ou peça que o servidor de e-mail os aceite',
  },
  mail_refused: {
    text: 'o servidor de e-mail recusa a mensagem: “{words}”',
    nextStep: 'peça ao administrador do servidor de e-mail a causa da resposta',
  },
  webhook_refused: {
    text: 'o endereço responde HTTP {words}',
    nextStep: 'corrija o endereço e o formato do canal: a resposta do serviço diz o que ele não aceita',
  },
  webhook_unknown: {
    text: 'o serviço não conhece o endereço: HTTP {words}',
    nextStep: 'crie um novo webhook no serviço e coloque o endereço dele no canal',
  },
  webhook_redirects: {
    text: 'o endereço redireciona, o que não é seguido: HTTP {words}',
    nextStep: 'coloque no canal o endereço para o qual ele redireciona',
  },
  webhook_busy: {
    text: 'o serviço não aceita mais mensagens por ora: HTTP {words}',
    nextStep: 'aguarde: os alarmes são tentados de novo; um alarms.group mais longo envia menos mensagens',
  },
  webhook_failing: {
    text: 'o serviço falha: HTTP {words}',
    nextStep: 'aguarde: os alarmes são tentados de novo; consulte a página de status do serviço',
  },
  file_unusable: {
    text: 'um arquivo do canal não pode ser lido: {words}',
    nextStep: 'corrija o arquivo, as permissões dele ou o caminho na configuração',
  },
  program_missing: {
    text: 'o programa não pode ser iniciado: “{words}”',
    nextStep: 'corrija o caminho em command e torne o arquivo executável para o usuário do gateway',
  },
  program_failed: {
    text: 'o programa falhou: “{words}”',
    nextStep: 'execute-o manualmente como o usuário do gateway, com um texto na entrada padrão',
  },
  program_killed: {
    text: 'o programa não terminou a tempo e foi encerrado',
    nextStep: 'faça com que ele termine em 20 s: o que demora mais deve ir para segundo plano',
  },
  failed: {
    text: 'o envio falhou: “{words}”',
    nextStep: 'o log do gateway tem mais (alarm.failed)',
  },
}
