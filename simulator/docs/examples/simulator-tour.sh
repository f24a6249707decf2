#!/bin/sh
# A tour of the simulated service with curl: what an integrator does, from the registration of a webhook to the deletion of all that was made.
# Needs curl, openssl, python3, and a running simulator. In the folder in which it was started:
#   sh docs/examples/simulator-tour.sh
# It moves the simulated clock to 2 March 2026 and on, and sets it to the real time at the end. It makes everything in the sandbox.
set -eu
SIMULATOR=${SIMULATOR:-https://localhost:9443}               # the sandbox
CONTROL=${CONTROL:-http://localhost:9445/control}            # its control API
SIMULATOR_FOLDER=${SIMULATOR_FOLDER:-data/simulator}         # with its certificates and applications
# For localhost. The simulator trusts its own; that of another authority needs --receiver-ca.
RECEIVER_CERTIFICATE=${RECEIVER_CERTIFICATE:-$SIMULATOR_FOLDER/server.crt}
RECEIVER_KEY=${RECEIVER_KEY:-$SIMULATOR_FOLDER/server.key}

umask 077
work=$(mktemp -d)
receiver=
end() {
  [ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

number=0
step() {
  number=$((number + 1))
  printf '\n%s. %s\n' "$number" "$1"
}
stop() {
  printf '\nThe tour stopped at step %s: %s\n' "$number" "$1" >&2
  [ "$number" -lt 2 ] || echo 'The simulated clock is frozen now: "portaria-simulator ctl reset" removes everything and lets it run.' >&2
  exit 1
}
for file in "$SIMULATOR_FOLDER/applications.json" "$RECEIVER_CERTIFICATE" "$RECEIVER_KEY"; do
  [ -r "$file" ] || stop "$file cannot be read. The head of this script says what it needs."
done

# field NAME [N]: the first, or Nth, member of this name in the last answer
field() {
  found=$(grep -o "\"$1\":\(\"[^\"]*\"\|\[[^]]*\]\|[^],}]*\)" "$work/answer" | sed -n "${2:-1}p" | cut -d : -f 2- | tr -d '"')
  [ -n "$found" ] || stop "the answer has no $1: $(cat "$work/answer")"
  printf '%s\n' "$found"
}
# show NAME…: prints members of the last answer
show() {
  for name; do
    value=$(field "$name")
    printf '     %s: %s\n' "$name" "$value"
  done
}
# expect NAME VALUE [N]: prints a member of the last answer, and stops unless it has this value
expect() {
  value=$(field "$1" "${3:-1}")
  [ "$value" = "$2" ] || stop "$1 should be $2: $(cat "$work/answer")"
  printf '     %s: %s\n' "$1" "$value"
}

# send STATUS METHOD URL BODY [OPTION…]: keeps the answer, and stops unless it has the status
send() {
  expected=$1 method=$2 url=$3 body=$4
  shift 4
  printf '   %s %s%s\n' "$method" "${url#"$SIMULATOR"}" "${body:+ $(printf %s "$body" | tr -s ' \n' ' ' | cut -c 1-100)}"
  status=$(curl --silent --show-error --max-time 60 --output "$work/answer" --write-out '%{http_code}' --request "$method" \
    ${body:+--header 'content-type: application/json' --data "$body"} "$@" "$url") || stop "$method $url got no answer"
  [ "$status" = "$expected" ] || stop "$method $url answered $status in place of $expected: $(cat "$work/answer")"
}
control() { send "$1" "$2" "$CONTROL$3" "${4:-}"; }
page() { send 200 GET "$1" '' --cacert "$SIMULATOR_FOLDER/server-ca.crt"; }

# be ID SECRET CERTIFICATE: the application that calls from now on
be() { client_id=$1 client_secret=$2 certificate=$3; }
# use INTERFACE: fetches a token of the interface. Secrets reach curl on standard input: every user of the machine can read a command line.
use() {
  interface=$1
  case $interface in
    charges) token_path=/v1/authorize ;;
    account) token_path=/oauth/token ;;
    *) token_path=/v1/oauth/token ;;
  esac
  printf 'user = "%s:%s"\n' "$client_id" "$client_secret" >"$work/credentials"
  send 200 POST "$SIMULATOR/$interface$token_path" '{"grant_type":"client_credentials"}' \
    --config "$work/credentials" --cacert "$SIMULATOR_FOLDER/server-ca.crt" --cert "$certificate"
  printf 'header = "authorization: Bearer %s"\n' "$(field access_token)" >"$work/token"
}
# ask STATUS METHOD PATH [BODY]: a call of the interface with its token
ask() {
  send "$1" "$2" "$SIMULATOR/$interface$3" "${4:-}" \
    --config "$work/token" --cacert "$SIMULATOR_FOLDER/server-ca.crt" --cert "$certificate"
}
# wait_for TEXT: waits until a callback with this text arrived
wait_for() {
  tries=100
  until grep -F -e "$1" "$work/received" >"$work/arrived"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || stop "no callback with $1 arrived: portaria-simulator ctl list-callbacks says why"
    sleep 0.1
  done
  printf '   arrived: %s\n' "$(tail -n 1 "$work/arrived" | cut -c 1-140)"
}

step 'The receiver: it requires a certificate of the published chain for callbacks, and none for charge notifications'
page "$SIMULATOR/certificates/sandbox.pem"
mv "$work/answer" "$work/chain.pem"
: >"$work/received"
cat >"$work/receiver.py" <<'PYTHON'
import http.server, os, ssl, sys, threading

folder, certificate, key = sys.argv[1:]

class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        with open(folder + "/received", "a", encoding="utf-8") as file:
            file.write(self.path + " " + body + "\n")
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.minimum_version = ssl.TLSVersion.TLSv1_2
context.load_cert_chain(certificate, key)
context.load_verify_locations(folder + "/chain.pem")
context.verify_mode = ssl.CERT_REQUIRED
callbacks = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
callbacks.socket = context.wrap_socket(callbacks.socket, server_side=True)
notifications = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
with open(folder + "/ports.new", "w") as file:
    file.write("%d %d" % (callbacks.server_port, notifications.server_port))
os.rename(folder + "/ports.new", folder + "/ports")
threading.Thread(target=notifications.serve_forever, daemon=True).start()
callbacks.serve_forever()
PYTHON
python3 "$work/receiver.py" "$work" "$RECEIVER_CERTIFICATE" "$RECEIVER_KEY" &
receiver=$!
until [ -e "$work/ports" ]; do
  kill -0 "$receiver" 2>/dev/null || stop 'the receiver ended: its message is above'
  sleep 0.1
done
read -r callback_port notification_port <"$work/ports" || true
printf '   https://localhost:%s and http://localhost:%s\n' "$callback_port" "$notification_port"

step 'The clock: Monday noon in São Paulo, when bills are paid at once'
control 200 PUT /clock '{"now":"2026-03-02T15:00:00Z","frozen":true}'

step 'The integrator registers its addresses: the service makes two requests to each, one without a certificate'
python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["sandbox"]["applications"][0], separators=(",", ":")))' \
  <"$SIMULATOR_FOLDER/applications.json" >"$work/answer"
be "$(field clientId)" "$(field clientSecret)" \
  "$SIMULATOR_FOLDER/accounts/sandbox-integrator.pem"
integrator_id=$client_id integrator_secret=$client_secret integrator_certificate=$certificate
use payment
ask 201 PUT /v1/webhook "{\"url\":\"https://localhost:$callback_port/payments\"}"
ask 200 GET '/v1/webhook?dataInicio=2026-03-02T00:00:00Z&dataFim=2026-03-03T00:00:00Z'
show url criacao
use registration
ask 200 POST /v1/webhook "{\"webhookUrl\":\"https://localhost:$callback_port/openings\"}"
webhook=$(field identificadorWebhook)
show identificadorWebhook
wait_for '/openings {"evento":"teste_webhook"}'
ask 200 GET "/v1/webhook/$webhook"
expect webhookUrl "https://localhost:$callback_port/openings"
ask 200 GET '/v1/webhooks?inicio=2026-03-02T00:00:00Z&paginacao.itensPorPagina=10'
show quantidadeTotalDeItens

step 'Open banking: the account must receive by bank data too, and a new setting replaces the earlier one'
use account
ask 201 PUT /v2/svc/config '{"pix":{"receberSemChave":true}}'
ask 200 GET /v2/svc/config
expect receberSemChave true
use open-banking
ask 201 PUT /v1/config "{\"redirectURL\":\"https://shop.example/back\",
  \"webhookURL\":\"https://localhost:$callback_port/open-banking\",\"webhookSecurity\":{\"type\":\"mtls\"},\"processPayment\":\"async\"}"
ask 200 GET /v1/config
show redirectURL webhookURL
control 202 POST /open-banking/callbacks '{"status":"aceito"}'
wait_for "/open-banking {\"identificadorPagamento\":\"$(field identificadorPagamento)\""
use registration

step 'It asks for an account of an end client, who accepts'
ask 200 POST /v1/conta-simplificada '{
  "clienteFinal": {"cpf": "11144477735", "nomeCompleto": "Maria da Conceição", "dataNascimento": "31/01/1990",
    "celular": "31987654321", "email": "maria@example.com",
    "endereco": {"cep": "35400000", "estado": "MG", "cidade": "Ouro Preto", "bairro": "Centro", "logradouro": "Rua das Flores", "numero": "12"}},
  "meioDeNotificacao": ["sms"],
  "escoposIntegrados": ["svc.balance.read", "svc.pix.evp.write", "svc.pix.evp.read"]}'
opening=$(field identificador)
show identificador
control 200 POST "/openings/$opening/accept" '{}'
expect state processing
control 200 POST /clock/advance '{"by":"60s"}'
wait_for "{\"contaSimplificada\":{\"identificador\":\"$opening\"},\"evento\":\"conta_aberta\"}"

step 'It fetches the credentials of the account, and its certificate, a .p12 file as base64'
ask 200 GET "/v1/conta-simplificada/$opening/credenciais"
show numero escopos
account=$(field numero) account_id=$(field clientId) account_secret=$(field clientSecret)
ask 201 POST "/v1/conta-simplificada/$opening/certificado"
tr -d '"' <"$work/answer" | openssl base64 -d -A -out "$work/account.p12"
openssl pkcs12 -in "$work/account.p12" -passin pass: -nodes -out "$work/account.pem" || stop 'openssl cannot read the certificate'
printf '     %s\n' "$(openssl x509 -in "$work/account.pem" -noout -subject)"
be "$account_id" "$account_secret" "$work/account.pem"

step 'With them it makes a random key of the account'
use account
ask 201 POST /v2/svc/evp
key=$(field chave)
ask 200 GET /v2/svc/evp
expect chaves "[$key]"

step 'It creates a charge, whose notifications are tokens, and pays it with the token of a card'
control 204 PUT "/applications/$account_id/notifications" '{"form":"token"}'
use charges
ask 200 POST /v1/charge "{\"items\":[{\"name\":\"Book\",\"value\":15010}],
  \"metadata\":{\"notification_url\":\"http://localhost:$notification_port/charges\"}}"
charge=$(field charge_id)
show charge_id status
ask 200 PUT "/v1/charge/$charge/metadata" '{"custom_id":"order 1"}'
ask 200 POST "/v1/charge/$charge/history" '{"description":"The customer chose a card"}'
control 201 POST /cards '{"brand":"visa","outcome":"paid"}'
customer='"name":"Ana Souza","cpf":"52998224725","email":"ana@example.com","phone_number":"11987654321"'
ask 200 POST "/v1/charge/$charge/pay" "{\"payment\":{\"credit_card\":{\"payment_token\":\"$(field payment_token)\",
  \"customer\":{$customer}}}}"
expect status waiting
control 200 POST /clock/advance '{"by":"5s"}'
ask 200 GET "/v1/charge/$charge"
expect status paid
expect custom_id 'order 1'

step 'The notification carries a token only, with which it fetches what happened'
wait_for '/charges notification='
token=$(sed -n 's/.* notification=//p' "$work/arrived" | tail -n 1)
ask 200 GET "/v1/notification/$token"
expect current new
expect current waiting 2
expect current paid 3
expect value 15010
use account
ask 200 GET /v2/svc/saldo
expect saldo 0.00

step 'Another charge has a payment link, which stays open a day longer'
use charges
ask 200 POST /v1/charge '{"items":[{"name":"Lamp","value":8000}]}'
linked=$(field charge_id)
ask 200 POST "/v1/charge/$linked/link" '{"expire_at":"2026-03-09","request_delivery_address":false,"payment_method":"all"}'
ask 200 PUT "/v1/charge/$linked/link" '{"expire_at":"2026-03-10","request_delivery_address":false,"payment_method":"all"}'
expect expire_at 2026-03-10
show payment_url
ask 200 PUT "/v1/charge/$linked/cancel"

step 'The integrator itself details and pays a bill'
be "$integrator_id" "$integrator_secret" "$integrator_certificate"
control 201 POST /bills '{"kind":"billet","amount":10000}'
barcode=$(field codBarras)
use payment
ask 200 GET "/v1/codBarras/$barcode"
expect final 10000
show tipo vencimento
ask 201 POST "/v1/codBarras/$barcode" '{"valor":10000,"dataPagamento":"2026-03-02","descricao":"Tour"}'
payment=$(field idPagamento)
expect status EM_PROCESSAMENTO
control 200 POST /clock/advance '{"by":"2m"}'
ask 200 GET "/v1/$payment"
expect status LIQUIDADO
ask 200 GET '/v1/resumo?dataInicio=2026-03-01&dataFim=2026-03-31'
show total sucesso
wait_for "\"identificador\":\"$payment\",\"status\":{\"anterior\":\"EXECUTADO\",\"atual\":\"LIQUIDADO\"}"

step 'On the next day it requests a statement, which takes half a minute'
control 200 POST /clock/advance '{"by":"24h"}'
use account
ask 201 POST /v2/svc/relatorios/extrato-conciliacao \
  '{"dataMovimento":"2026-03-02","tipoRegistros":{"transferenciaEnviada":true,"saldoDia":true}}'
statement=$(field id)
show status
# A tour before this one asked for the same statement: then it is ready already.
if [ "$(field status)" != CONCLUIDO ]; then
  ask 202 GET "/v2/svc/relatorios/$statement"
  control 200 POST /clock/advance '{"by":"30s"}'
fi
ask 200 GET "/v2/svc/relatorios/$statement"
sed 's/^/     /' "$work/answer"
echo
for record in '^CA;' "^transferenciaEnviada;" '^saldoDia;' '^T;'; do
  grep -q "$record" "$work/answer" || stop "the statement has no line $record"
done

step 'The new account has a subscription: each month of the clock generates a charge'
be "$account_id" "$account_secret" "$work/account.pem"
use charges
ask 200 POST /v1/plan '{"name":"Monthly","interval":1}'
plan=$(field plan_id)
ask 200 PUT "/v1/plan/$plan" '{"name":"Every month"}'
ask 200 GET '/v1/plans?name=Every&limit=1'
expect name 'Every month'
ask 200 POST "/v1/plan/$plan/subscription" '{"items":[{"name":"Rent","value":10000}]}'
subscription=$(field subscription_id)
expect status new
ask 200 PUT "/v1/subscription/$subscription/metadata" '{"custom_id":"tenant-12"}'
ask 200 POST "/v1/subscription/$subscription/history" '{"description":"The contract is signed"}'
ask 200 POST "/v1/subscription/$subscription/pay" "{\"payment\":{\"banking_billet\":{\"expire_at\":\"2026-03-10\",\"customer\":{$customer}}}}"
expect status active
show first_execution expire_at
control 200 POST /clock/advance '{"by":"31d"}'
control 200 POST /clock/advance '{"by":"30d"}'
ask 200 GET "/v1/subscription/$subscription"
expect occurrences 3
expect custom_id tenant-12
show next_execution next_expire_at history

step 'And a carnet: a billet for each month, all at once'
ask 200 POST /v1/carnet "{\"items\":[{\"name\":\"Course\",\"value\":20000}],\"repeats\":2,\"expire_at\":\"2026-06-10\",\"customer\":{$customer}}"
carnet=$(field carnet_id)
expect status up_to_date
expect expire_at 2026-06-10
expect expire_at 2026-07-10 2
first=$(field charge_id) second=$(field charge_id 2)
page "$(field carnet)"
[ "$(head -c 5 "$work/answer")" = '%PDF-' ] || stop 'the carnet has no PDF'
printf '     a PDF of %s bytes\n' "$(wc -c <"$work/answer" | tr -d ' ')"

step 'The way back: everything that can be cancelled or deleted'
ask 200 PUT "/v1/subscription/$subscription/cancel"
ask 200 DELETE "/v1/plan/$plan"
ask 200 PUT "/v1/charge/$first/cancel"
ask 200 PUT "/v1/charge/$second/cancel"
ask 200 GET "/v1/carnet/$carnet"
expect status finished
use account
ask 200 DELETE "/v2/svc/evp/$key"
ask 200 GET /v2/svc/evp
expect chaves '[]'
be "$integrator_id" "$integrator_secret" "$integrator_certificate"
use registration
ask 204 DELETE "/v1/webhook/$webhook"
use payment
ask 204 DELETE /v1/webhook "{\"url\":\"https://localhost:$callback_port/payments\"}"
control 200 PUT /clock "{\"now\":\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\",\"frozen\":false}"

printf '\nThe tour is complete: account %s, charge %s, payment %s, subscription %s, carnet %s.\n' \
  "$account" "$charge" "$payment" "$subscription" "$carnet"
printf 'Look at them: portaria-simulator ctl show charge %s\n' "$charge"
