import type { Texts } from '../../../translator.ts'

/** What `portaria demo` tells, and how it fails. */
export const DEMO_MESSAGES: Texts = {
  'Portaria receives the callbacks of a payment service over mutual TLS, stores them, and forwards them':
    'O Portaria recebe os callbacks de um serviço de pagamentos por TLS mútuo, grava-os e os encaminha',
  'to your system. This tour runs a real gateway between a simulated service and a simulated system of yours,':
    'ao seu sistema. Esta demonstração executa um gateway real entre um serviço simulado e uma simulação do seu sistema,',
  'on this machine only, for some seconds.': 'somente nesta máquina, por alguns segundos.',
  '✓ passed ({time})': '✓ passou ({time})',
  '✗ failed ({time}): {words}': '✗ falhou ({time}): {words}',
  'callbacks sent with a certificate, including those without a response and one that was sent twice':
    'callbacks enviados com certificado, incluindo os que ficaram sem resposta e um que foi enviado duas vezes',
  'different callbacks that the gateway answered with 200': 'callbacks diferentes que o gateway respondeu com 200',
  'of these, stored': 'destes, gravados',
  'of these, received with a valid signature': 'destes, recebidos com uma assinatura válida',
  'acknowledged and not delivered': 'confirmados e não entregues',
  'the configuration of a gateway of your own': 'a configuração de um gateway seu',
  'a gateway for development; it shows commands that call it':
    'um gateway de desenvolvimento; ele mostra comandos que o chamam',
  'a simulated service that calls it': 'um serviço simulado que o chama',
  'every command': 'todos os comandos',
  'demo: step {number} ({words_title}) failed: {words}': 'demo: o passo {number} ({words_title}) falhou: {words}',
  'not done after {limit} s: this machine may be too busy, try again':
    'não terminou em {limit} s: esta máquina pode estar ocupada demais, tente de novo',
  'stopped by {signal}': 'encerrado por {signal}',
  '{words_who} answered {method} {url} with {status}: {text}':
    '{words_who} respondeu a {method} {url} com {status}: {text}',
  '{words_name} ended with {ending}; its last lines:\n{lines}':
    '{words_name} terminou com {ending}; as últimas linhas dele:\n{lines}',
  '{words_name} ended': '{words_name} terminou',
  'the service': 'o serviço',
  'the simulated service': 'o serviço simulado',
  'the gateway': 'o gateway',
  'the API': 'a API',

  'The simulated service and a gateway start': 'O serviço simulado e um gateway iniciam',
  'Creating a temporary folder with a configuration and a full set of test certificates.':
    'Criando uma pasta temporária com uma configuração e um conjunto completo de certificados de teste.',
  'Starting the simulated service: portaria simulator, with certificates of its own.':
    'Iniciando o serviço simulado: portaria simulator, com certificados próprios.',
  'process {pid}: {payment} and other interfaces, control at {control}':
    'processo {pid}: {payment} e outras interfaces, controle em {control}',
  'Starting the gateway: the real program in its own process, with a SQLite database. It trusts the CA certificates of that service.':
    'Iniciando o gateway: o programa real em um processo próprio, com um banco de dados SQLite. Ele confia nos certificados de AC desse serviço.',
  'process {pid}: callbacks on https://localhost:{port}, API on http://{api}':
    'processo {pid}: callbacks em https://localhost:{port}, API em http://{api}',
  'Starting a receiver, instead of your own system, and creating a destination for it: POST /v1/destinations':
    'Iniciando um receptor, no lugar do seu sistema, e criando um destino para ele: POST /v1/destinations',
  'destination {id} at {url}; its signatures are verified with {secret}':
    'destino {id} em {url}; as suas assinaturas são verificadas com {secret}',

  'The service accepts the address after two requests': 'O serviço aceita o endereço depois de duas requisições',
  'Registering {url} at the service: {request}': 'Cadastrando {url} no serviço: {request}',
  'GET /v1/refusals: {count} requests without a certificate, refused in the TLS handshake':
    'GET /v1/refusals: {count} requisições sem certificado, recusadas no handshake TLS',
  'GET /v1/events?kind=probe: {count} test callbacks with its certificate, answered 200':
    'GET /v1/events?kind=probe: {count} callbacks de teste com o certificado do serviço, respondidos com 200',
  '{refused} refusals and {accepted} test callbacks, not 2 of each':
    '{refused} recusas e {accepted} callbacks de teste, e não 2 de cada',

  'Callers without a client certificate are refused': 'Quem chama sem certificado de cliente é recusado',
  "Making the service's two requests, without and with its certificate, in TLS 1.2 and in TLS 1.3.":
    'Fazendo as duas requisições do serviço, sem e com o certificado dele, em TLS 1.2 e em TLS 1.3.',
  '{version} without certificate: {words}': '{version} sem certificado: {words}',
  '{version} with certificate: {words}': '{version} com certificado: {words}',
  'the two requests did not end as they must: {words}': 'as duas requisições não terminaram como devem: {words}',
  'the caller without a certificate was refused, but not in the TLS handshake':
    'quem chamou sem certificado foi recusado, mas não no handshake TLS',

  'The service calls: an account is opened, a bill paid, a charge canceled':
    'O serviço chama: uma conta é aberta, um boleto é pago, uma cobrança é cancelada',
  'Setting the simulated clock of the service to {time}: PUT /control/clock':
    'Acertando o relógio simulado do serviço para {time}: PUT /control/clock',
  'Asking a client to open an account, accepting in place of the client, and waiting 2 simulated minutes.':
    'Pedindo a um cliente que abra uma conta, aceitando no lugar do cliente e esperando 2 minutos simulados.',
  'Making a bill by the control API, paying it, and waiting 2 simulated minutes.':
    'Criando um boleto pela API de controle, pagando-o e esperando 2 minutos simulados.',
  'Creating a charge whose notification_url is the charge listener of the gateway, and canceling it.':
    'Criando uma cobrança cuja notification_url é o listener de cobranças do gateway, e cancelando-a.',
  'the gateway did not answer every callback of the service with 200':
    'o gateway não respondeu a todos os callbacks do serviço com 200',
  'Polling them: {request}': 'Buscando os eventos: {request}',
  '{delivered} callbacks were delivered, {polled} events polled':
    '{delivered} callbacks foram entregues, {polled} eventos foram buscados',

  'The peer certificate determines the environment': 'O certificado de quem chama determina o ambiente',
  'Sending payment {subject} with the {environment} certificate, then asking {request}.':
    'Enviando o pagamento {subject} com o certificado de {environment}, e depois perguntando: {request}.',
  'the call was answered with nothing, not 200': 'a chamada ficou sem resposta, em vez de receber 200',
  'the call was answered with {status}, not 200': 'a chamada foi respondida com {status}, e não com 200',
  'answered {status}; event {id} has the environment {environment}':
    'resposta {status}; o evento {id} tem o ambiente {environment}',
  'the event has the environment {environment}, not {expected}':
    'o evento tem o ambiente {environment}, e não {expected}',

  'Registrations, payments and charges are stored, each once':
    'Cadastros, pagamentos e cobranças são gravados, cada um uma vez',
  'Sending one callback of each kind.': 'Enviando um callback de cada tipo.',
  'POST /callbacks/{kind} {body}… answered nothing': 'POST /callbacks/{kind} {body}… sem resposta',
  'POST /callbacks/{kind} {body}… answered {status}': 'POST /callbacks/{kind} {body}… resposta {status}',
  'POST /callbacks/{kind} was answered with nothing, not 200':
    'POST /callbacks/{kind} ficou sem resposta, em vez de receber 200',
  'POST /callbacks/{kind} was answered with {status}, not 200':
    'POST /callbacks/{kind} foi respondido com {status}, e não com 200',
  'Sending payment {subject} again, as a service does after a lost response.':
    'Enviando o pagamento {subject} de novo, como um serviço faz depois de perder uma resposta.',
  'GET /v1/events shows {count} event for it, which counts {duplicates} duplicate':
    'GET /v1/events mostra {count} evento para ele, que conta {duplicates} repetição',
  'expected one event that counts one duplicate': 'era esperado um evento que conta uma repetição',

  'Everything is forwarded to the receiver, signed': 'Tudo é encaminhado ao receptor, com assinatura',
  'Waiting until the receiver has every event; it verifies each signature (Standard Webhooks) independently.':
    'Esperando até que o receptor tenha todos os eventos; ele verifica cada assinatura (Standard Webhooks) por conta própria.',
  '{received} of {expected} events arrived with a good signature, {refused} with a bad one':
    '{received} de {expected} eventos chegaram com assinatura válida, {refused} com assinatura inválida',
  '{refused} deliveries had a signature that does not verify':
    '{refused} entregas tinham uma assinatura que não é válida',
  'only {received} of {expected} events arrived': 'só {received} de {expected} eventos chegaram',
  'event {id} of the store did not arrive under this webhook-id':
    'o evento {id} do banco de dados não chegou com esse webhook-id',
  'Changing the amount in a copy of it and verifying that copy.':
    'Alterando o valor em uma cópia e verificando essa cópia.',
  'the signature still verifies': 'a assinatura continua válida',
  'the signature no longer verifies': 'a assinatura deixou de ser válida',
  'a changed body was verified': 'um corpo alterado foi dado como válido',

  'The receiver fails, and nothing is lost': 'O receptor falha, e nada se perde',
  'The receiver cuts every connection from now on. The service continues to call.':
    'O receptor corta todas as conexões a partir de agora. O serviço continua chamando.',
  '{acknowledged} of {sent} callbacks acknowledged': '{acknowledged} de {sent} callbacks confirmados',
  'only {acknowledged} of {sent} callbacks were acknowledged':
    'só {acknowledged} de {sent} callbacks foram confirmados',
  'Waiting for a failed attempt: {request}': 'Esperando uma tentativa que falhe: {request}',
  '{count} deliveries are pending; the last attempt of one: {words}':
    '{count} entregas estão pendentes; a última tentativa de uma delas: {words}',
  '{count} deliveries wait, not {expected}': '{count} entregas esperam, e não {expected}',
  'The receiver recovers.': 'O receptor volta a funcionar.',
  "{arrived} of {expected} arrived, each retried on the gateway's own schedule":
    '{arrived} de {expected} chegaram, cada uma repetida conforme a agenda do próprio gateway',
  'only {arrived} of {expected} deliveries arrived': 'só {arrived} de {expected} entregas chegaram',

  'The gateway is killed in the middle of a burst, and nothing is lost':
    'O gateway é encerrado à força no meio de uma rajada, e nada se perde',
  'Calling over {connections} connections at once; kill -9 at acknowledgement {number}.':
    'Chamando por {connections} conexões ao mesmo tempo; kill -9 na confirmação {number}.',
  'process {pid} is dead; {acknowledged} callbacks acknowledged, {unanswered} never answered':
    'o processo {pid} foi encerrado à força; {acknowledged} callbacks confirmados, {unanswered} nunca respondidos',
  'the gateway stopped answering after {count} callbacks': 'o gateway parou de responder depois de {count} callbacks',
  'Starting it again on the same folder.': 'Iniciando-o de novo na mesma pasta.',
  'process {pid}; its pending deliveries are sent at once':
    'processo {pid}; as entregas pendentes são enviadas imediatamente',
  'Looking for every callback of this tour in the store and, by its webhook-id, at the receiver.':
    'Procurando cada callback desta demonstração no banco de dados e, pelo webhook-id, no receptor.',
  'acknowledged {acknowledged}, stored {stored}, delivered {delivered}, lost {lost}':
    'confirmados {acknowledged}, gravados {stored}, entregues {delivered}, perdidos {lost}',
  '{count} came twice with the same webhook-id, which the receiver recognized':
    'vindos duas vezes com o mesmo webhook-id, o que o receptor reconheceu: {count}',
  '{acknowledged} callbacks were acknowledged, {stored} events are stored for them':
    '{acknowledged} callbacks foram confirmados, {stored} eventos estão gravados para eles',
  '{stored} events are stored, only {delivered} of them were delivered':
    '{stored} eventos estão gravados, só {delivered} deles foram entregues',
  'a callback was answered with {status}': 'um callback foi respondido com {status}',
}
