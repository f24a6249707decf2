import type { Sentence } from './sentence.ts'

/** What a server meant that ended TLS with an alert. Some of these sentences are among those of the probe. */
export const TLS_ALERTS: readonly Sentence[] = [
  ['TLS alert {alert} ({name}): {words}', 'alerta TLS {alert} ({name}): {words}'],
  ['TLS alert {alert} ({name})', 'alerta TLS {alert} ({name})'],
  ['the caller ended the handshake: {words}', 'o chamador encerrou o handshake: {words}'],
  [
    'the server wants a client certificate: show one that it trusts',
    'o servidor exige um certificado de cliente: apresente um em que ele confie',
  ],
  [
    'the server does not accept the client certificate: check its issuer and its dates, send its full chain, and compare with what the server trusts',
    'o servidor não aceita o certificado de cliente: confira o emissor e as datas, envie a cadeia completa e compare com aquilo em que o servidor confia',
  ],
  [
    'the server could not read what it got: see whether a proxy between both changes the connection',
    'o servidor não conseguiu ler o que recebeu: veja se um proxy no caminho altera a conexão',
  ],
  [
    'the server shares no TLS version, cipher or signature with this side, or wants a client certificate: compare the TLS settings of both',
    'o servidor não tem versão de TLS, cifra nem assinatura em comum com este lado, ou exige um certificado de cliente: compare as configurações de TLS dos dois',
  ],
  [
    'the server speaks no TLS version that this side allows: switch TLS 1.2 or 1.3 on there',
    'o servidor não fala nenhuma versão de TLS que este lado permita: ative TLS 1.2 ou 1.3 nele',
  ],
  [
    'the server wants stronger ciphers: compare the TLS settings of both sides',
    'o servidor exige cifras mais fortes: compare as configurações de TLS dos dois lados',
  ],
  [
    'the server speaks a newer TLS version than it was offered: switch TLS 1.3 on at both sides',
    'o servidor fala uma versão de TLS mais nova que a oferecida: ative TLS 1.3 nos dois lados',
  ],
  [
    'the server takes no HTTP/1.1 at this port, perhaps HTTP/2 alone: let it offer HTTP/1.1, too',
    'o servidor não aceita HTTP/1.1 nesta porta, talvez só HTTP/2: ofereça também HTTP/1.1',
  ],
]
