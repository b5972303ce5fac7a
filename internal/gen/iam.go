package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
)

// iamFiles returns the policies of AWS and the page that lists them, by path.
func iamFiles() (map[string]func(*bytes.Buffer), error) {
	const dir = "config/iam/"
	policies := aws.Policies()
	files := map[string]func(*bytes.Buffer){
		dir + "README.md": func(b *bytes.Buffer) { writePolicies(b, policies) },
	}
	for _, p := range policies {
		document, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("writing the policy %s: %w", p.Name, err)
		}
		files[dir+p.Name+".json"] = func(b *bytes.Buffer) { b.Write(append(document, '\n')) }
	}
	return files, nil
}

func writePolicies(b *bytes.Buffer, policies []aws.Policy) {
	b.WriteString("# IAM policies\n\n" + header)
	b.WriteString("What the CCM may do on AWS, one policy for each feature: attach those of the features you use. Before that put your\n" +
		"own values in place of `CLUSTER_ID`, `VPC_ID` and `ROLE_ARN`:\n\n" +
		"```sh\nsed 's/CLUSTER_ID/my-cluster/; s/VPC_ID/vpc-0123456789abcdef0/' config/iam/routes.json\n```\n\n")
	tableHead(b, "Policy", "Needed for")
	for _, p := range policies {
		row(b, fmt.Sprintf("[%s](%s.json)", p.Name, p.Name), p.Doc)
	}
}
