/** What many write by hand: parsed JSON, one line a callback, 200. @param log file that it appends to */
export function appendingPhp(log: string): string {
  return `<?php
$callback = json_decode(file_get_contents('php://input'), true);
file_put_contents('${log}', json_encode($callback) . "\\n", FILE_APPEND);
http_response_code(200);
echo '200';
`
}

/** The same as `carefulApp`, for the callers of one issuer alone. @param isForeign whether the caller is another one */
export function carefulPhp(log: string, isForeign: string): string {
  return `<?php
if (($_SERVER['SSL_CLIENT_VERIFY'] ?? '') !== 'SUCCESS' || ${isForeign}) {
  http_response_code(403);
  exit;
}
$body = file_get_contents('php://input');
$value = json_decode($body, true);
if ($value === null) $facts = $body === '' ? [] : [$body];
else $facts = array_map('json_encode', array_is_list($value) ? $value : ($value['pix'] ?? [$value]));
$file = fopen('${log}', 'c+');
flock($file, LOCK_EX);
$known = array_flip(explode("\\n", stream_get_contents($file)));
foreach ($facts as $fact) {
  if (isset($known[$fact]) && !str_starts_with($fact, 'notification=')) continue;
  $known[$fact] = true;
  fwrite($file, "$fact\\n");
}
fflush($file);
fsync($file);
fclose($file);
http_response_code(200);
echo '200';
`
}
