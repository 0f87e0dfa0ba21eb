package odcs
import ("testing";"strings";"time";"fmt")
func TestPerf(t *testing.T){
 in:=map[string]string{
 "comments":strings.Repeat("#\n",4<<20),
 "commentlist":"a:\n"+strings.Repeat("  # x\n",1<<20)+"  b: c\n",
 "flow":strings.Repeat("[",9000),
 "flow2":strings.Repeat("[",4<<20),
 "maps":strings.Repeat("{a: ",9000),
 "bigkeys":func()string{var b strings.Builder; b.WriteString("apiVersion: v3.2.0\nkind: DataContract\n"); for i:=0;i<300000;i++{fmt.Fprintf(&b,"k%d: v\n",i)};return b.String()}(),
 "items":"apiVersion: v3.2.0\ntags:\n"+strings.Repeat("- a\n",1<<20),
 "docs":strings.Repeat("---\na\n",1<<20),
 "anchors":func()string{var b strings.Builder; b.WriteString("a0: &a0 x\n"); for i:=1;i<60;i++{fmt.Fprintf(&b,"a%d: &a%d [*a%d,*a%d,*a%d]\n",i,i,i-1,i-1,i-1)};return b.String()}(),
 "self":"a: &a [*a]\n",
 "longscalar":"a: \""+strings.Repeat("x ",4<<20)+"\"",
 "nested": func()string{var b strings.Builder; for i:=0;i<3000;i++{b.WriteString(strings.Repeat(" ",i)+"a:\n")};return b.String()}(),
 "qmarks":strings.Repeat("? ",100000),
 "dashes":strings.Repeat("- ",9999)+"a",
 "dashes2":strings.Repeat("- ",1<<20)+"a",
 "colons":strings.Repeat("a: ",100000),
 "tabs":strings.Repeat("a:\t\n",100000),
 "unknownprops":"apiVersion: v3.2.0\ncustomProperties:\n"+strings.Repeat("- {property: x, value: 1, vendor: sluice}\n",100000),
 "fields": func()string{var b strings.Builder; b.WriteString("apiVersion: v3.2.0\nkind: DataContract\nid: a\nversion: 1.0.0\nschema:\n- name: a\n  properties:\n"); for i:=0;i<50000;i++{fmt.Fprintf(&b,"  - {name: k%d, logicalType: string}\n",i)};return b.String()}(),
 }
 for k,v:=range in{ s:=time.Now(); _,p:=Parse("f",[]byte(v)); first:=""; if len(p)>0{first=p[0].String(); if len(first)>150{first=first[:150]}}; t.Log(k,len(v),time.Since(s),len(p),first)}
}
