package connect

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// service is the full name of Spark Connect's one service.
const service = "/spark.connect.SparkConnectService/"

// newMessage makes a message of the client's generated package, which cannot be
// imported but registers its types with the protobuf runtime.
func newMessage(name string) (proto.Message, error) {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("spark.connect." + name))
	if err != nil {
		return nil, fmt.Errorf("looking up the Spark Connect message %s: %w", name, err)
	}
	return t.New().Interface(), nil
}

// invoke calls a method that the client does not offer, in its session. body is
// the request in protobuf's JSON form, and so is what comes back in reply.
func (w *wire) invoke(ctx context.Context, conn *grpc.ClientConn, method, request, response string, body map[string]any, reply any) error {
	w.mu.Lock()
	ids := w.ids
	w.mu.Unlock()
	body["sessionId"], body["clientType"] = ids.session, ids.client
	body["userContext"] = map[string]any{"userId": ids.user}
	in, err := newMessage(request)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("building %s: %w", request, err)
	}
	if err := protojson.Unmarshal(encoded, in); err != nil {
		return fmt.Errorf("building %s: %w", request, err)
	}
	out, err := newMessage(response)
	if err != nil {
		return err
	}
	if err := conn.Invoke(ctx, service+method, in, out); err != nil {
		return err
	}
	if reply == nil {
		return nil
	}
	decoded, err := protojson.Marshal(out)
	if err != nil {
		return fmt.Errorf("reading %s: %w", response, err)
	}
	if err := json.Unmarshal(decoded, reply); err != nil {
		return fmt.Errorf("reading %s: %w", response, err)
	}
	return nil
}

// The server's own session id came with Spark 4.0, after the client's messages
// were made: it is read and written as a field that they do not know.
var (
	observedField = map[protoreflect.Name]protowire.Number{"ExecutePlanRequest": 8, "AnalyzePlanRequest": 17, "ConfigRequest": 8}
	serverField   = map[protoreflect.Name]protowire.Number{"ExecutePlanResponse": 15, "AnalyzePlanResponse": 15, "ConfigResponse": 4}
)

// request notes the ids of the client's session, and tells the server which of
// its sessions we mean. After a restart it then refuses the call instead of
// running it in a fresh session, without our settings and temporary views.
func (w *wire) request(m any) {
	msg, ok := m.(proto.Message)
	if !ok {
		return
	}
	r := msg.ProtoReflect()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids.session == "" {
		w.ids.session, w.ids.client = text(r, "session_id"), text(r, "client_type")
		if v, ok := at(r, "user_context"); ok {
			w.ids.user = text(v.Message(), "user_id")
		}
	}
	if n, ok := observedField[r.Descriptor().Name()]; ok && w.ids.server != "" {
		raw := protowire.AppendTag(r.GetUnknown(), n, protowire.BytesType)
		r.SetUnknown(protowire.AppendString(raw, w.ids.server))
	}
}

// reply notes the server's id of the session, once.
func (w *wire) reply(m any) {
	msg, ok := m.(proto.Message)
	if !ok {
		return
	}
	r := msg.ProtoReflect()
	n, ok := serverField[r.Descriptor().Name()]
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids.server == "" {
		w.ids.server = unknownText(r.GetUnknown(), n)
	}
}

// unknownText reads one text field out of fields that a message does not know.
func unknownText(raw []byte, want protowire.Number) string {
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return ""
		}
		raw = raw[n:]
		if number == want && kind == protowire.BytesType {
			v, n := protowire.ConsumeString(raw)
			if n < 0 {
				return ""
			}
			return v
		}
		if n = protowire.ConsumeFieldValue(number, kind, raw); n < 0 {
			return ""
		}
		raw = raw[n:]
	}
	return ""
}

// at follows message fields by name as far as they are set.
func at(m protoreflect.Message, path ...protoreflect.Name) (protoreflect.Value, bool) {
	var v protoreflect.Value
	for _, name := range path {
		f := m.Descriptor().Fields().ByName(name)
		if f == nil || f.Message() == nil || !m.Has(f) {
			return v, false
		}
		v = m.Get(f)
		m = v.Message()
	}
	return v, true
}

// text reads a text field by name; absent is "".
func text(m protoreflect.Message, name protoreflect.Name) string {
	f := m.Descriptor().Fields().ByName(name)
	if f == nil || f.Kind() != protoreflect.StringKind {
		return ""
	}
	return m.Get(f).String()
}
