import { COMMAND } from '../../../platform/installation.ts'
import type { Sentence } from './sentence.ts'

/** What `portaria check` advises about listeners, destinations, the service and the public address. */
export const NETWORK_STEPS: readonly Sentence[] = [
  [
    'correct the files first that other findings name: until then the gateway would not start again',
    'corrija primeiro os arquivos que outros resultados informam: até lá o gateway não iniciaria de novo',
  ],
  ['choose another host or port ({keys})', 'escolha outro host ou outra porta ({keys})'],
  [
    'stop that one (ss -ltnp shows it), or choose another port ({keys})',
    'encerre esse programa (ss -ltnp o mostra) ou escolha outra porta ({keys})',
  ],
  ['use one that "ip address" shows, or 0.0.0.0 ({keys})', 'use um que "ip address" mostra, ou 0.0.0.0 ({keys})'],
  [
    'choose a port from 1024, and redirect the public one to it ({keys})',
    'escolha uma porta a partir de 1024 e redirecione a pública para ela ({keys})',
  ],
  ['write an address ({keys})', 'escreva um endereço ({keys})'],
  ['write a fixed number ({key})', 'escreva um número fixo ({key})'],
  [
    'restart the gateway if its configuration was changed; see its log',
    'reinicie o gateway se a configuração dele mudou; veja o log',
  ],
  [
    'reload the gateway (SIGHUP) or restart it, or find out what else listens there',
    'recarregue o gateway (SIGHUP) ou reinicie-o, ou descubra que programa escuta ali',
  ],
  [
    'restart the gateway; if that does not help, find out what else listens there',
    'reinicie o gateway; se não bastar, descubra que programa escuta ali',
  ],
  ['see the log of the gateway', 'veja o log do gateway'],
  [
    'find out what else listens there (ss -ltnp), and restart the gateway',
    'descubra que programa escuta ali (ss -ltnp) e reinicie o gateway',
  ],
  [
    'restart it, so that it runs this program: systemctl restart portaria, or stop it and start it',
    'reinicie-o, para que execute este programa: systemctl restart portaria, ou encerre-o e inicie-o',
  ],
  [
    'raise the limit (LimitNOFILE= of the unit, ulimit -n, --ulimit nofile= of a container)',
    'aumente o limite (LimitNOFILE= da unit, ulimit -n, --ulimit nofile= de um contêiner)',
  ],

  [
    'register the URL without {suffix}: its path is {path}, and the service appends {suffixes} itself',
    'cadastre a URL sem {suffix}: o caminho dela é {path}, e o serviço mesmo acrescenta {suffixes}',
  ],
  [
    'register a URL with the path of one of {kinds}, or give a kind this path',
    'cadastre uma URL com o caminho de um de {kinds}, ou dê este caminho a um tipo',
  ],
  [
    'register the address that ends with the token (of a charge, set notification_url to it): nothing is received at a path behind it',
    'cadastre o endereço que termina com o token (em uma cobrança, defina notification_url com ele): nada é recebido em um caminho depois dele',
  ],
  [
    'callbacks are sent by POST; if this institution tests addresses with a GET, write answer: { validation: get } under it',
    'callbacks são enviados com POST; se esta instituição testa endereços com um GET, escreva nela answer: { validation: get }',
  ],
  [
    'callbacks come by POST: look at what changes the method in front of the gateway',
    'callbacks chegam por POST: veja o que muda o método à frente do gateway',
  ],
  [
    'switch off the compression of requests where it happens: at the caller, or at a proxy in front of the gateway',
    'desligue a compressão das requisições onde ela acontece: no chamador ou em um proxy à frente do gateway',
  ],
  ['raise callbacks.limits.body, and restart the gateway', 'aumente callbacks.limits.body e reinicie o gateway'],
  [
    'raise callbacks.limits.headers, or remove the headers that a proxy adds',
    'aumente callbacks.limits.headers ou remova os cabeçalhos que um proxy acrescenta',
  ],
  [
    'look at the reason ("refusals list --reason bad_request"), and at the proxies in front of the gateway',
    'veja o motivo ("refusals list --reason bad_request") e os proxies à frente do gateway',
  ],
  [
    'look at the network and at the proxies in front, or raise callbacks.limits.requestTimeout',
    'verifique a rede e os proxies à frente, ou aumente callbacks.limits.requestTimeout',
  ],

  [
    `${COMMAND} destinations create https://app.example/callbacks --name app; or, for an app that polls: ${COMMAND} clients create --name app --environment any --scopes events.read`,
    `${COMMAND} destinations create https://app.example/callbacks --name app; ou, para um aplicativo que consulta: ${COMMAND} clients create --name app --environment any --scopes events.read`,
  ],
  ['add a destination, or change the filter of one', 'crie um destino ou mude o filtro de um'],
  [
    `${COMMAND} destinations resume {name}, when it may get deliveries again`,
    `${COMMAND} destinations resume {name}, quando ele puder receber entregas de novo`,
  ],
  [
    'correct its URL, or repair the destination: its deliveries wait and are retried',
    'corrija a URL ou conserte o destino: as entregas dele esperam e são repetidas',
  ],
  [
    'see what listens there; to try a whole delivery: {command}',
    'veja o que escuta ali; para testar uma entrega inteira: {command}',
  ],
  ['correct its institutions or kinds', 'corrija as instituições ou os tipos dele'],

  [
    'write the beginning of the URLs as the service calls them, such as {url}',
    'escreva o começo das URLs como o serviço as chama, por exemplo {url}',
  ],
  [
    'write the beginning of the URL as the service calls it, such as {url}',
    'escreva o começo da URL como o serviço a chama, por exemplo {url}',
  ],
  ['write that of each environment as the service gave it', 'escreva o de cada ambiente, como o serviço o informou'],
  [
    'correct the file that service.authorities names: until then nothing is asked',
    'corrija o arquivo que service.authorities informa: até lá o serviço não é consultado',
  ],
  [
    'install certificate and key of your account: until then the service is not called',
    'instale o certificado e a chave da sua conta: até lá o serviço não é chamado',
  ],
  [
    'download a new one from your account at the service and replace the files: they are taken up by themselves',
    'baixe um novo da sua conta no serviço e substitua os arquivos: o gateway passa a usá-los sozinho',
  ],
  [
    'correct service.baseAddresses; for a service of your own network add it to forwarding.allowedNetworks, for a simulator on this machine "loopback"',
    'corrija service.baseAddresses; um serviço da sua própria rede deve estar em forwarding.allowedNetworks, um simulador nesta máquina como "loopback"',
  ],
  [
    'add an entry to {key} and install the chain: {command}',
    'inclua uma entrada em {key} e instale a cadeia: {command}',
  ],
  [
    'add `charge: { path: {path}/charge }`, or write resolveTokens: false',
    'inclua `charge: { path: {path}/charge }`, ou escreva resolveTokens: false',
  ],
  [
    'add chargeNotifications (config/portaria.yaml shows it), or write resolveTokens: false',
    'inclua chargeNotifications (config/portaria.yaml mostra como), ou escreva resolveTokens: false',
  ],
  [
    'add an entry for {realm}, or write resolveTokens: false',
    'inclua uma entrada para {realm}, ou escreva resolveTokens: false',
  ],
  [
    'copy clientId and clientSecret of this environment from your account at the service; those of the other environment are refused',
    'copie da sua conta no serviço clientId e clientSecret deste ambiente; os do outro ambiente são recusados',
  ],
  [
    'install the certificate that your account has in this environment, or a new one if it was revoked or is of the other environment',
    'instale o certificado que a sua conta tem neste ambiente, ou um novo se ele foi revogado ou é do outro ambiente',
  ],
  [
    'correct service.baseAddresses or service.authorities, or repair the network: charge tokens wait meanwhile',
    'corrija service.baseAddresses ou service.authorities, ou conserte a rede: enquanto isso, os tokens de cobrança esperam',
  ],
  [
    'the log says why (callback.not_stored): free some space, or repair the disk',
    'o log diz o motivo (callback.not_stored): libere espaço ou conserte o disco',
  ],
  ['nothing: the service was asked, and this ends by itself', 'nada: o serviço foi consultado, e isto termina sozinho'],
  [
    `ask the service for what changed meanwhile: "${COMMAND} service reconcile"`,
    `pergunte ao serviço o que mudou nesse tempo: "${COMMAND} service reconcile"`,
  ],
  [
    'look at the service for what changed meanwhile, or configure the section service to have it asked',
    'veja no serviço o que mudou nesse tempo, ou configure a seção service para que ele seja consultado',
  ],

  [
    'until then the service answers the registration with 400 webhook_invalido: {words}',
    'até lá o serviço responde ao cadastro com 400 webhook_invalido: {words}',
  ],
  ['accepted without certificate', 'aceito sem certificado'],
  ['unreachable', 'inacessível'],
  ['timeout', 'sem resposta a tempo'],
  ['handshake failed', 'falha no handshake'],
  [
    "let the server verify client certificates against the service's chains",
    'faça o servidor verificar os certificados de cliente com as cadeias do serviço',
  ],
  ['see the findings above, and check again', 'veja os resultados acima e verifique de novo'],
  [
    'with a certificate that the service issued to you, add --cert FILE --key FILE',
    'com um certificado que o serviço emitiu para você, acrescente --cert ARQUIVO --key ARQUIVO',
  ],
  ['let the server speak TLS 1.2 and 1.3 only', 'faça o servidor aceitar só TLS 1.2 e 1.3'],
  ['check again', 'verifique de novo'],
  [
    'answer at this address itself, or register the final one: the service follows no redirect',
    'responda neste mesmo endereço ou cadastre o final: o serviço não segue redirecionamentos',
  ],
  ['register the URL without {suffix}: {url}', 'cadastre a URL sem {suffix}: {url}'],
  [
    'let the proxy in front pass on every path below the registered one',
    'faça o proxy à frente repassar todos os caminhos abaixo do cadastrado',
  ],
  [
    'name another institution with --institution, or call one of {paths}',
    'informe outra instituição com --institution, ou chame um de {paths}',
  ],
  [
    'let the server send its certificate to every caller',
    'faça o servidor enviar o certificado dele a todos os chamadores',
  ],
  [
    'something in front ends TLS: let it pass TCP through (nginx: stream, ssl_preread), so that client certificates reach the gateway; or the gateway has not loaded its files (SIGHUP)',
    'algo à frente termina o TLS: faça-o repassar o TCP (nginx: stream, ssl_preread), para que os certificados de cliente cheguem ao gateway; ou o gateway não carregou os arquivos (SIGHUP)',
  ],
  [
    'make it the default of that address: some callers send no name',
    'torne-o o padrão desse endereço: alguns chamadores não enviam o nome',
  ],
]
