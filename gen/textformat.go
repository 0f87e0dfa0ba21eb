package gen

// textFormats are the regular expressions of the formats of a string. They take
// what mail systems, resolvers and libraries in use take, not everything that an
// RFC could mean: an address with a quoted local part is refused.
var textFormats = map[string]string{
	// RFC 5321: a local part of at most 64 characters, a dotted domain.
	"email": `^(?=.{1,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_` + "`" + `{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_` + "`" + `{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\z`,
	// RFC 9562, any version, upper or lower case.
	"uuid": `^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\z`,
	// RFC 3986: a scheme and characters that need no encoding.
	"uri": `^[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+\z`,
	// RFC 1123: labels of letters, digits and inner hyphens, 253 characters in all.
	"hostname": `^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\z`,
	// Four decimal numbers; 010 is refused, since some readers take it for octal.
	"ipv4": `^` + ipv4 + `\z`,
	// RFC 4291: eight groups, one run of zeros as ::, the last two perhaps as ipv4.
	"ipv6": `^(` +
		`([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}` +
		`|([0-9A-Fa-f]{1,4}:){6}` + ipv4 +
		`|(?=([^:]*:){2,8}[^:]*$)(?![^:]+:([^:]*:){7}[^:]+$)(?!.*::.*::)([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?` +
		`|(?=([^:]*:){2,7}[^:]*$)(?![^:]+:([^:]*:){6}[^:]+$)(?!.*::.*::)([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?::([0-9A-Fa-f]{1,4}:)*` + ipv4 +
		`)\z`,
}

const ipv4 = `((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
