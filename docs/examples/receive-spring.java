// Receives forwarded events with Spring: verifies signatures (Standard Webhooks) and stores each event once. Java 8 and Spring 4.3 or newer, also Boot.
// Copy it as HookController.java. It needs a JdbcTemplate and the table, here for SQLite (PostgreSQL: BYTEA for BLOB):
//   CREATE TABLE events (id VARCHAR(64) PRIMARY KEY, kind VARCHAR(64), body BLOB)
// The environment has WEBHOOK_SECRET=whsec_…: two secrets, separated by a space, while you rotate them.
// With Spring Security, permit /hook and turn its CSRF check off.
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.StreamUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@RestController
class HookController {
    private static final long TOLERANCE_SECONDS = 300;
    private static final int MOST_BYTES = 16 * 1024 * 1024;
    private final JdbcTemplate db;
    private final String[] secrets;

    HookController(JdbcTemplate db, @Value("${WEBHOOK_SECRET}") String secrets) {
        this.db = db;
        this.secrets = secrets.split(" ");
        for (String secret : this.secrets) {
            if (!secret.startsWith("whsec_") || secret.length() < 38) {
                throw new IllegalArgumentException("WEBHOOK_SECRET is not whsec_ and base64");
            }
        }
    }

    // The stream has the raw bytes. A parameter @RequestBody byte[] would have a form as Spring writes it again.
    @PostMapping("/hook")
    ResponseEntity<String> hook(@RequestHeader HttpHeaders headers, InputStream stream) throws IOException, GeneralSecurityException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        StreamUtils.copyRange(stream, read, 0, MOST_BYTES); // and one byte more
        byte[] body = read.toByteArray();
        if (body.length > MOST_BYTES) {
            return ResponseEntity.status(413).body("too large");
        }
        if (!isGenuine(headers, body)) {
            return ResponseEntity.status(401).body("invalid signature");
        }
        // The primary key decides, also between two requests at the same time. MySQL: INSERT, and catch DuplicateKeyException.
        int stored = db.update("INSERT INTO events (id, kind, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            headers.getFirst("webhook-id"), headers.getFirst("portaria-kind"), body);
        // Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
        return ResponseEntity.ok(stored == 1 ? "stored" : "repeated");
    }

    private boolean isGenuine(HttpHeaders headers, byte[] body) throws GeneralSecurityException {
        String id = headers.getFirst("webhook-id");
        String timestamp = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        if (id == null || signatures == null || timestamp == null || !timestamp.matches("[0-9]{1,12}")) {
            return false;
        }
        // An old delivery that was recorded and is sent again is refused.
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) {
            return false;
        }
        boolean isGenuine = false;
        for (String secret : secrets) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
            // While the secret rotates there are two signatures; one of them must be right.
            for (String given : signatures.split(" ")) {
                isGenuine |= MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8));
            }
        }
        return isGenuine;
    }
}
